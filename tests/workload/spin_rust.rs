// SPDX-License-Identifier: GPL-2.0-only
//! The workload of spin.c in Rust: work::hot, work::warm and work::mild do 50, 30 and 20 % of the work.
//! Ends by itself: spin_rust [SECONDS], 60 by default.

use std::time::{Duration, Instant};

mod work {
    const FACTOR: u64 = 6364136223846793005;

    #[inline(always)]
    fn chain(mut value: u64, iterations: u64, addend: u64) -> u64 {
        for _ in 0..iterations {
            value = value.wrapping_mul(FACTOR).wrapping_add(addend);
        }
        value
    }

    #[inline(never)]
    pub fn hot(value: u64, iterations: u64) -> u64 {
        chain(value, iterations, 1442695040888963407)
    }

    #[inline(never)]
    pub fn warm(value: u64, iterations: u64) -> u64 {
        chain(value, iterations, 1442695040888963409)
    }

    #[inline(never)]
    pub fn mild(value: u64, iterations: u64) -> u64 {
        chain(value, iterations, 1442695040888963411)
    }
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut value = 1;

    while Instant::now() < deadline {
        let unit = 20000 + (value >> 32) % 40000;

        value = work::hot(value, 5 * unit);
        value = work::warm(value, 3 * unit);
        value = work::mild(value, 2 * unit);
    }
    // Uses the result, so that the work is not optimized out; the compiler of Debian 12 has no std::hint::black_box().
    if value == 0 {
        println!("nothing is left");
    }
}
