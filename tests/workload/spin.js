// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workload of spin.c for a just-in-time compiler: hot(), warm() and mild() do 50, 30 and 20 % of the work.
 * Run as: node --perf-basic-prof spin.js [SECONDS]; ends by itself, after 60 by default.
 */
'use strict';

// The three functions must not be inlined into their caller, or they would have no samples.
require('v8').setFlagsFromString('--no-turbo-inlining');

function hot(value, iterations) {
	for (let i = 0; i < iterations; i++)
		value = (Math.imul(value, 1103515245) + 12345) | 0;
	return value;
}

function warm(value, iterations) {
	for (let i = 0; i < iterations; i++)
		value = (Math.imul(value, 1103515245) + 12347) | 0;
	return value;
}

function mild(value, iterations) {
	for (let i = 0; i < iterations; i++)
		value = (Math.imul(value, 1103515245) + 12349) | 0;
	return value;
}

const deadline = Date.now() + 1000 * Number(process.argv[2] || 60);
let value = 1;

while (Date.now() < deadline) {
	const unit = 20000 + (value >>> 16) % 40000;

	value = hot(value, 5 * unit);
	value = warm(value, 3 * unit);
	value = mild(value, 2 * unit);
}
