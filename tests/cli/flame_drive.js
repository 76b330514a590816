// SPDX-License-Identifier: GPL-2.0-only
// Operates the page of tprof flame like a user, and logs its observations as lines "drive: NAME=VALUE".
(async () => {
"use strict";

const lines = [], body = document.body, canvas = document.getElementById("canvas"), box = (id) => document.getElementById(id);
const say = (name, value) => lines.push(`drive: ${name}=${value}`);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const ROW = 20;

function spot(share, row) {
	const area = canvas.getBoundingClientRect();

	return { clientX: area.left + area.width * share, clientY: area.top + row * ROW + ROW / 2, bubbles: true };
}

async function click(share, row) {
	canvas.dispatchEvent(new MouseEvent("click", spot(share, row)));
	await wait(400);
}

async function press(key, target) {
	(target || canvas).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	await wait(300);
}

async function type(words) {
	box("search").value = words;
	box("search").dispatchEvent(new Event("input"));
	await wait(300);
}

function pixel(share, row) {
	const ratio = canvas.width / canvas.getBoundingClientRect().width;
	const x = canvas.getBoundingClientRect().width * share;

	return canvas.getContext("2d").getImageData(x * ratio, (row * ROW + 3) * ratio, 1, 1).data.join();
}

// Row 2 has main() on the left, row 3 read() to the right of hot(), row 4 the kernel function vfs_read() below read().
async function look() {
	const shades = [pixel(0.5, 2), pixel(0.8, 4), pixel(0.5, 8)];

	say("colours", new Set(shades).size === 3 ? "user kernel page differ" : shades.join(" "));
	await click(0.8, 3);
	say("click", body.dataset.zoomed);
	say("wide", pixel(0.05, 4) === shades[1] ? "all of it" : "not all of it");
	say("path", [...box("path").children].map((one) => one.textContent).join(","));
	box("path").children[2].click();
	await wait(400);
	say("back", body.dataset.zoomed);
	await press("Escape");
	say("escape", body.dataset.zoomed);
}

async function find() {
	await type("HOT|read");
	say("search", body.dataset.found);
	box("reset").click();
	await wait(300);
	say("reset", body.dataset.found);
	await type("int, char>(x)");
	say("literal", body.dataset.found);
	await type("[stack table full]");
	say("brackets", body.dataset.found);
	await type("[st");
	say("half", body.dataset.found === "5.00" ? "ok" : body.dataset.found);
	await press("Escape");
}

async function keys() {
	canvas.focus();
	for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
		await press(key);
	say("keys", body.dataset.zoomed);
	await press("ArrowDown");
	await press("ArrowRight");
	const right = body.dataset.focus;
	await press("ArrowLeft");
	say("sideways", `${right},${body.dataset.focus}`);
	await press("Backspace");
	say("backspace", body.dataset.zoomed);
	await press("/", body);
	say("slash", document.activeElement.id);
	await press("Escape");
}

async function rest() {
	box("by-object").click();
	await wait(200);
	say("objects", [...box("legend").children].slice(0, 2).map((one) => one.textContent).join(","));
	box("by-kind").click();
	canvas.dispatchEvent(new PointerEvent("pointermove", { ...spot(0.5, 2), pointerType: "mouse" }));
	say("tip", box("tip").hidden ? "" : [...box("tip").children].slice(0, 2).map((one) => one.textContent).join(","));
	box("losses").open = true;
	say("ledger", box("ledger").rows[0].cells[1].textContent);
	say("legend", [...box("legend").children].map((one) => one.textContent).join(","));
	say("button", box("by-kind").textContent);
	const wide = canvas.width;
	dispatchEvent(new Event("beforeprint"));
	const pieces = [...document.querySelectorAll(".piece")], ratio = pieces[0].width / 1100;
	say("paper", pieces.reduce((sum, piece) => sum + piece.height / ratio / ROW, 0));
	dispatchEvent(new Event("afterprint"));
	say("screen", canvas.width === wide && !document.querySelector(".piece") ? "as before" : canvas.width);
	say("bold", document.querySelectorAll("#tip > b ~ b, #path b, #legend b").length);
}

// The third row has main(), which all events have.
async function events() {
	const choose = async (which) => {
		box("event").value = which;
		box("event").dispatchEvent(new Event("change"));
		await wait(300);
	};

	say("events", [...box("event").options].map((one) => one.textContent).join(","));
	say("choice", box("events").hidden ? "hidden" : "shown");
	if (box("events").hidden)
		return;
	await click(0.2, 2);
	await choose(1);
	say("event", `${body.dataset.event},${box("title").textContent},${body.dataset.zoomed}`);
	say("event ledger", box("ledger").rows[0].cells[1].textContent);
	say("event detail", box("detail").textContent);
	await choose(0);
	say("first again", `${body.dataset.event},${body.dataset.zoomed}`);
	await press("Escape");
}

await wait(500);
say("ready", body.dataset.ready);
say("began", [...box("legend").children].slice(0, 2).map((one) => one.textContent).join(","));
try {
	await look();
	await find();
	await keys();
	await rest();
	await events();
} catch (error) {
	complaints.push(String(error));
}
say("complaints", complaints.join("; "));
const said = document.createElement("pre");
said.textContent = "\n" + lines.join("\n") + "\n";
body.append(said);
})();
