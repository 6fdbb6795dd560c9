// SPDX-License-Identifier: GPL-2.0-or-later
// jit_hot - two functions that V8 compiles, for as many milliseconds as it is told.
'use strict';

function hotFib(n) {
	return n < 2 ? n : hotFib(n - 1) + hotFib(n - 2);
}

function hotSum(n) {
	let sum = 0;

	for (let i = 0; i < n; i++)
		sum = (sum * 31 + i) % 1000003;
	return sum;
}

const end = Date.now() + Number(process.argv[2]);
let turns = 0;

for (; Date.now() < end; turns++) {
	hotFib(16);
	hotSum(20000);
}
console.log(`pid=${process.pid} turns=${turns}`);
