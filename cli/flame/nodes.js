// SPDX-License-Identifier: GPL-2.0-only
// The boxes of the profile in this page, and their properties. Nodes are in drawing order, parents first.

const whole = JSON.parse(document.getElementById("profile").textContent), all = [whole, ...(whole.others || [])];

// The event that is shown. Nodes are stored as columns. The data of each node is name, samples, weight, number of
// children.
let data, nr, deepest, name, samples, weight, start, depth, parent, end, own;

function unfold(which) {
	const open = [];

	data = all[which];
	nr = data.nodes.length / 4;
	deepest = 0;
	[name, depth, parent, end] = [0, 1, 2, 3].map(() => new Int32Array(nr));
	[samples, weight, start, own] = [0, 1, 2, 3].map(() => new Float64Array(nr));
	for (let i = 0, at = 0; i < nr; i++, at += 4) {
		name[i] = data.nodes[at];
		samples[i] = data.nodes[at + 1];
		own[i] = weight[i] = data.nodes[at + 2];
		while (open.length && !open[open.length - 1].left)
			end[open.pop().node] = i;
		const above = open[open.length - 1];
		parent[i] = above ? above.node : -1;
		depth[i] = open.length;
		deepest = Math.max(deepest, depth[i]);
		start[i] = above ? above.next : 0;
		if (above) {
			above.left--;
			above.next += weight[i];
			own[above.node] -= weight[i];
		}
		open.push({ node: i, left: data.nodes[at + 3], next: start[i] });
	}
	for (const one of open)
		end[one.node] = nr;
}

const text = (i) => data.names[name[i]][0];
const object = (i) => data.objects[data.names[name[i]][1]];
const kind = (i) => data.kinds[data.names[name[i]][2]];

function percent(part, whole) {
	const share = whole ? 100 * part / whole : 0;

	return (share >= 10 ? share.toFixed(1) : share.toFixed(2)) + " %";
}

function amount(value) {
	if (data.unit !== "ns")
		return Math.round(value).toLocaleString("en") + (data.unit ? " " + data.unit : "");
	for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]])
		if (value >= size)
			return (value / size).toPrecision(value / size >= 1000 ? 4 : 3) + " " + unit;
	return value + " ns";
}
