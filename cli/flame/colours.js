// SPDX-License-Identifier: GPL-2.0-only
// The colour of a box: by its kind, its object, or its change since another profile.

let colours = "kind";
let style = null, cache = new Map();

function readStyle() {
	const computed = getComputedStyle(document.documentElement);

	style = (property) => computed.getPropertyValue("--" + property).trim();
	cache = new Map();
}

// Varies the lightness slightly by name, so that adjacent boxes of one kind differ and a name always looks the same.
function sheen(string) {
	let hash = 7;

	for (let i = 0; i < string.length; i++)
		hash = (hash * 31 + string.charCodeAt(i)) | 0;
	return (((hash >>> 3) % 5) - 2) * 1.7;
}

function lit(hsl, string) {
	const [hue, saturation, light] = hsl.split(" ");

	return `hsl(${hue} ${saturation} ${parseFloat(light) + sheen(string)}%)`;
}

// The heaviest objects have distinct hues.
function objectColour(which) {
	const rank = data.objects.indexOf(which), light = parseFloat(style("user").split(" ")[2]);

	return rank < 0 || rank >= data.hues.length ? style("process") : `${data.hues[rank]} 52% ${light}%`;
}

function colour(i) {
	const key = colours + name[i];
	let value = cache.get(key);

	if (value)
		return value;
	const plain = colours === "kind" || kind(i) === "process" || kind(i) === "rest" || !object(i);
	value = lit(plain ? style(kind(i)) : objectColour(object(i)), text(i));
	if (data.change && colours === "kind")
		value = changeColour(i);
	else
		cache.set(key, value);
	return value;
}

function legend() {
	const box = $("legend"), entry = (label, value) => element("span", label, box).style.setProperty("--colour", value);

	box.replaceChildren();
	if (colours === "object")
		data.objects.filter(Boolean).slice(0, 8).forEach((one) => entry(one, `hsl(${objectColour(one)})`));
	else if (data.change)
		changeLegend(entry);
	else
		data.legend.map((which) => data.kinds[which]).forEach((one) => entry(one, `hsl(${style(one)})`));
}

// Difference of two profiles -----------------------------------------------------------------------------------

// The shares of a box in the first and in the second profile; the weights of the boxes are those of the second.
function shares(i) {
	return [data.change.before[i] / (data.change.total || 1), weight[i] / (weight[0] || 1)];
}

function changeColour(i) {
	const [before, after] = shares(i), most = Math.max(before, after), part = most ? (after - before) / most : 0;
	const hue = part > 0 ? 8 : 212, light = parseFloat(style("user").split(" ")[2]), grey = parseFloat(style("rest").split(" ")[2]);

	return `hsl(${hue} ${Math.round(78 * Math.min(1, Math.abs(part) * 1.6))}% ${grey + (light - grey) * Math.min(1, Math.abs(part) * 1.6)}%)`;
}

function changeText(i) {
	const [before, after] = shares(i), points = 100 * (after - before);

	return `${points >= 0 ? "+" : "\u2212"}${Math.abs(points).toFixed(2)} points`;
}

function changeLegend(entry) {
	const light = style("user").split(" ")[2];

	entry("more than before", `hsl(8 78% ${light})`);
	entry("as before", `hsl(${style("rest")})`);
	entry("less", `hsl(212 78% ${light})`);
}
