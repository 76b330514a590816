// SPDX-License-Identifier: GPL-2.0-only
// Draws the profile in this page: the width of a box is the weight of its function and of everything below it, and
// callees are below their callers. Nodes are in drawing order, parents first, so a box that is too narrow to be visible
// is skipped with everything below it.

const ROW = 20, NARROWEST = 0.4, TEXT_FROM = 24, FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const PRINT_WIDTH = 1100, SHEET = 10 * ROW, TALLEST = 16000, GLIDE_MS = 160;
const $ = (id) => document.getElementById(id);
const canvas = $("canvas"), stage = $("stage"), tip = $("tip");
let pen = canvas.getContext("2d");

// The state of the view: zoomed is the node that is as wide as the page; from and span are the visible part of the
// profile, which moves during a zoom; focus is the node that keys move; hover is the node below the pointer.
let zoomed = 0, from = 0, span = 1, focus = -1, hover = -1, found = null, printing = false;

// Drawing ------------------------------------------------------------------------------------------------------

function fit(string, width) {
	if (pen.measureText(string).width <= width)
		return string;
	let keep = Math.max(0, Math.floor(width / 6.4) - 1);

	while (keep > 0 && pen.measureText(string.slice(0, keep) + "\u2026").width > width)
		keep--;
	return keep > 1 ? string.slice(0, keep) + "\u2026" : "";
}

function drawBox(i, x, wide, y, dim) {
	const hit = found && found.names[name[i]], left = Math.max(x, 0), right = Math.min(x + wide, view.wide);

	pen.globalAlpha = dim || (found && !hit) ? 0.42 : 1;
	pen.fillStyle = hit ? style("found") : colour(i);
	pen.fillRect(left, y, Math.max(right - left - (wide > 3 ? 1 : 0), 0.4), ROW - 1);
	if (right - left >= TEXT_FROM) {
		const label = fit(text(i), right - left - 9);

		pen.globalAlpha = dim ? 0.7 : 1;
		pen.fillStyle = hit ? style("found-ink") : style("frame-ink");
		if (label)
			pen.fillText(label, left + 4, y + ROW / 2);
	}
	if (i === focus || i === hover) {
		pen.globalAlpha = 1;
		pen.strokeStyle = i === focus ? style("accent") : style("ink");
		pen.lineWidth = i === focus ? 2 : 1;
		pen.strokeRect(left + 1, y + 0.5, Math.max(right - left - 3, 1), ROW - 2);
	}
}

const view = { wide: 0, high: 0, top: 0 };

function isAbove(i) {
	return i < zoomed && end[i] > zoomed;
}

function draw() {
	const scale = view.wide / span, first = Math.floor(view.top / ROW), last = Math.ceil((view.top + view.high) / ROW);

	pen.clearRect(0, 0, view.wide, view.high);
	pen.font = FONT;
	pen.textBaseline = "middle";
	for (let i = 0; i < nr;) {
		const x = (start[i] - from) * scale, wide = weight[i] * scale;

		if (wide < NARROWEST || x >= view.wide || x + wide <= 0 || depth[i] > last) {
			i = end[i];
			continue;
		}
		if (depth[i] >= first)
			drawBox(i, x, wide, depth[i] * ROW - view.top, isAbove(i));
		i++;
	}
	pen.globalAlpha = 1;
}

function lay(target, wide, high, ratio) {
	view.wide = wide;
	view.high = high;
	target.width = Math.round(wide * ratio);
	target.height = Math.round(high * ratio);
	pen = target.getContext("2d");
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}

// Splits the graph for printing into pieces of ten rows, so that no page break is inside a row.
function layPaper(whole) {
	for (view.top = 0; view.top < Math.min(whole, TALLEST); view.top += SHEET) {
		const piece = element("canvas", "", stage);

		piece.className = "piece";
		lay(piece, PRINT_WIDTH, Math.min(SHEET, whole - view.top), 2);
		draw();
	}
}

function layout() {
	const whole = (deepest + 1) * ROW;

	stage.querySelectorAll(".piece").forEach((piece) => piece.remove());
	if (printing) {
		layPaper(whole);
		return;
	}
	$("height").style.height = Math.max(0, whole - stage.clientHeight) + "px";
	view.top = stage.scrollTop;
	lay(canvas, stage.clientWidth, Math.max(stage.clientHeight, ROW), Math.min(window.devicePixelRatio || 1, 3));
	canvas.style.height = view.high + "px";
	draw();
}

let pending = false;

function soon() {
	if (pending)
		return;
	pending = true;
	requestAnimationFrame(() => { pending = false; draw(); });
}

// Words --------------------------------------------------------------------------------------------------------

function element(tag, content, parentNode) {
	const made = document.createElement(tag);

	made.textContent = content;
	if (parentNode)
		parentNode.append(made);
	return made;
}

function numbers(i) {
	const parts = [`${amount(weight[i])}, ${percent(weight[i], weight[0])} of all`];

	if (zoomed)
		parts.push(`${percent(weight[i], weight[zoomed])} of the zoomed box`);
	if (!data.change)
		parts.push(`${samples[i].toLocaleString("en")} samples`);
	parts.push(`${percent(own[i], weight[0])} self`);
	if (data.change)
		parts.push(changeText(i));
	return parts.join(" \u00b7 ");
}

function place(i) {
	const source = data.names[name[i]][3];

	return [object(i), kind(i) === "rest" ? "too small to be drawn" : kind(i), source].filter(Boolean).join(", ");
}

function describe(i) {
	const which = i >= 0 ? i : zoomed;

	$("detail").textContent = found && i < 0 ?
		`Found ${percent(found.weight, weight[0])} in ${found.nr.toLocaleString("en")} boxes` :
		`${text(which)} \u2014 ${numbers(which)}`;
}

function showTip(i, x, y) {
	tip.hidden = i < 0;
	if (i < 0)
		return;
	tip.replaceChildren();
	element("b", text(i), tip);
	element("span", place(i), tip);
	element("div", numbers(i), tip);
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
	tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(6, y - box.height - 12) : y + 18) + "px";
}

function showPath() {
	const path = $("path"), nodes = [];

	path.replaceChildren();
	for (let i = zoomed; zoomed && i >= 0; i = parent[i])
		nodes.unshift(i);
	for (const i of nodes)
		element("button", text(i), path).addEventListener("click", () => zoom(i));
	path.scrollLeft = path.scrollWidth;
	$("reset").disabled = !zoomed && !found;
	document.body.dataset.zoomed = text(zoomed);
}

// Zoom, search, focus ------------------------------------------------------------------------------------------

let glide = 0;

function zoom(i) {
	const a = { from, span }, b = { from: start[i], span: weight[i] || 1 }, began = performance.now();
	const still = matchMedia("(prefers-reduced-motion: reduce)").matches || printing;

	zoomed = i;
	showPath();
	describe(i);
	layout();
	cancelAnimationFrame(glide);
	const step = () => {
		const part = still ? 1 : Math.min((performance.now() - began) / GLIDE_MS, 1), eased = 1 - (1 - part) ** 3;

		from = a.from + (b.from - a.from) * eased;
		span = a.span + (b.span - a.span) * eased;
		draw();
		if (part < 1)
			glide = requestAnimationFrame(step);
	};
	step();
	if (depth[i] * ROW < stage.scrollTop || depth[i] * ROW > stage.scrollTop + view.high - 3 * ROW)
		stage.scrollTop = Math.max(0, depth[i] * ROW - 3 * ROW);
}

// Names of C++ may be valid regular expressions that do not match themselves, so text that occurs in a name is searched
// literally.
function matcher(wanted) {
	const part = wanted.toLowerCase(), literally = (string) => string.toLowerCase().includes(part);

	if (data.names.some((one) => literally(one[0])))
		return literally;
	try {
		const pattern = new RegExp(wanted, "i");
		return (string) => pattern.test(string);
	} catch { /* an incomplete regular expression */
		return literally;
	}
}

// The weight of a match includes everything below it, so nested matches do not add to the sum.
function search(wanted) {
	found = null;
	if (wanted) {
		const matches = matcher(wanted);

		found = { names: data.names.map((one) => matches(one[0])), weight: 0, nr: 0 };
		for (let i = 0, inside = 0; i < nr; i++) {
			if (!found.names[name[i]])
				continue;
			found.nr++;
			if (i >= inside) {
				found.weight += weight[i];
				inside = end[i];
			}
		}
	}
	document.body.dataset.found = found ? (100 * found.weight / weight[0]).toFixed(2) : "";
	$("reset").disabled = !zoomed && !found;
	describe(-1);
	soon();
}

function reset() {
	$("search").value = "";
	focus = -1;
	search("");
	zoom(0);
}

function at(x, y) {
	const where = from + x * span / view.wide, row = Math.floor((y + view.top) / ROW);

	for (let i = 0; i < nr;) {
		if (where < start[i] || where >= start[i] + weight[i] || depth[i] > row) {
			i = end[i];
			continue;
		}
		if (depth[i] === row)
			return i;
		i++;
	}
	return -1;
}

function sibling(i, step) {
	const above = parent[i];
	let before = -1;

	if (above < 0)
		return i;
	for (let child = above + 1; child < end[above]; child = end[child]) {
		if (child === i && step < 0)
			return before < 0 ? i : before;
		if (before === i && step > 0)
			return child;
		before = child;
	}
	return i;
}

function moveFocus(i) {
	focus = i;
	document.body.dataset.focus = text(i);
	if (depth[i] * ROW < stage.scrollTop)
		stage.scrollTop = depth[i] * ROW;
	else if ((depth[i] + 1) * ROW > stage.scrollTop + view.high)
		stage.scrollTop = (depth[i] + 1) * ROW - view.high;
	describe(i);
	soon();
}

const KEYS = {
	ArrowDown: (i) => moveFocus(i + 1 < end[i] ? i + 1 : i),
	ArrowUp: (i) => moveFocus(parent[i] < 0 ? i : parent[i]),
	ArrowLeft: (i) => moveFocus(sibling(i, -1)),
	ArrowRight: (i) => moveFocus(sibling(i, 1)),
	Home: () => moveFocus(zoomed),
	Enter: (i) => zoom(i),
	" ": (i) => zoom(i),
	Backspace: () => zoom(parent[zoomed] < 0 ? 0 : parent[zoomed]),
};

// Events -------------------------------------------------------------------------------------------------------

function listen() {
	const where = (event) => {
		const box = canvas.getBoundingClientRect();

		return at(event.clientX - box.left, event.clientY - box.top);
	};

	canvas.addEventListener("pointermove", (event) => {
		const i = where(event);

		if (i !== hover) {
			hover = i;
			soon();
		}
		if (event.pointerType === "mouse")
			showTip(i, event.clientX, event.clientY);
		if (i >= 0)
			describe(i);
	});
	canvas.addEventListener("pointerleave", () => { hover = -1; showTip(-1); describe(focus); soon(); });
	canvas.addEventListener("click", (event) => {
		const i = where(event);

		if (i < 0)
			return;
		focus = -1;
		zoom(i);
	});
	canvas.addEventListener("keydown", (event) => {
		const key = KEYS[event.key];

		if (!key || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		if (focus < 0 && event.key.startsWith("Arrow"))
			moveFocus(zoomed);
		else
			key(focus < 0 ? zoomed : focus);
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			reset();
			canvas.focus({ preventScroll: true });
		} else if (event.key === "/" && event.target !== $("search")) {
			event.preventDefault();
			$("search").focus();
		}
	});
	$("search").addEventListener("input", (event) => search(event.target.value.trim()));
	$("reset").addEventListener("click", reset);
	stage.addEventListener("scroll", () => { view.top = stage.scrollTop; showTip(-1); soon(); });
	// In an animation frame, because layout() may resize the stage, which triggers the observer again.
	new ResizeObserver(() => requestAnimationFrame(layout)).observe(stage);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readStyle(); legend(); draw(); });
	addEventListener("beforeprint", () => paper(true));
	addEventListener("afterprint", () => paper(false));
	for (const which of ["kind", "object"])
		$("by-" + which).addEventListener("click", () => paint(which));
}

// Prints the whole graph in light colours, also if the page is dark.
function paper(wanted) {
	printing = wanted;
	document.documentElement.classList.toggle("paper", wanted);
	readStyle();
	legend();
	layout();
}

function paint(which) {
	colours = which;
	$("by-kind").setAttribute("aria-pressed", which === "kind");
	$("by-object").setAttribute("aria-pressed", which === "object");
	legend();
	draw();
}

// Shows an event, and what follows from it alone.
function show(which) {
	unfold(which);
	$("title").textContent = document.title = data.title;
	$("about").textContent = data.about;
	$("loss").textContent = data.loss + (data.warning ? ": " + data.warning : "");
	$("loss").classList.toggle("loss", data.lost > 0);
	$("ledger").replaceChildren();
	for (const [label, count] of data.ledger) {
		const row = element("tr", "", $("ledger"));

		element("td", label, row);
		element("td", count.toLocaleString("en"), row);
	}
	canvas.setAttribute("aria-label", `${data.title}: ${nr} boxes, ${deepest + 1} rows`);
	document.body.dataset.event = data.event;
}

// Zooms into the same functions, as far as the other event has them.
function change(which) {
	const path = [];
	let i = 0;

	for (let above = zoomed; above > 0; above = parent[above])
		path.unshift(text(above));
	show(which);
	for (const wanted of path) {
		let child = i + 1;

		while (child < end[i] && text(child) !== wanted)
			child = end[child];
		if (child >= end[i])
			break;
		i = child;
	}
	focus = hover = -1;
	[zoomed, from, span] = [i, start[i], weight[i] || 1];
	readStyle();
	search($("search").value.trim());
	showPath();
	legend();
	layout();
}

function listEvents() {
	all.forEach((one, which) => element("option", one.event, $("event")).value = which);
	$("events").hidden = all.length < 2;
	$("event").addEventListener("change", (event) => change(Number(event.target.value)));
}

function begin() {
	show(0);
	listEvents();
	if (data.change)
		$("by-kind").textContent = "Change";
	readStyle();
	span = weight[0] || 1;
	listen();
	legend();
	showPath();
	describe(-1);
	layout();
	paint(data.colours);
	document.body.dataset.ready = String(nr);
}

begin();
