# SPDX-License-Identifier: GPL-2.0-only
# Reads from ELF files where their functions begin, and which code is the outermost frame of a call stack, with readelf.
# Stripped programs have no symbols, but every program has unwind tables.

# code_bias FILE: prints by how much the address of code in the file exceeds its offset there
code_bias() {
	readelf -lW "$1" 2>/dev/null | awk '$1 == "LOAD" && / R E / { print $2, $3; exit }' | {
		read -r offset address && echo $((address - offset)) || echo 0
	}
}

# code_functions FILE: prints the first and the last address of each function, in hexadecimal digits without zeros
code_functions() {
	readelf -wf "$1" 2>/dev/null | sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\.0*\([0-9a-f]*\)$/\1 \2/p'
}

# code_roots FILE: prints the ranges of code that no function has called: the entry point, and functions in whose tables
# the return address is undefined, such as clone3()
code_roots() {
	readelf -hW "$1" 2>/dev/null | sed -n 's/.*Entry point address: *0x\([0-9a-f]*\)$/\1/p' | {
		# The code at the entry point is 48 bytes or less.
		read -r entry && printf '%s %x\n' "$entry" $((0x$entry + 48))
	}
	case $1 in
	*/libc.so*) readelf -wf "$1" 2>/dev/null |
		sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\.0*\([0-9a-f]*\)$/\1 \2/; t keep; /undefined: r16/{ g; p; }; d
			: keep
			h; d' ;;
	esac
}
