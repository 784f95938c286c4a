// What axe finds on the page that is open. Two kinds of things are asked about once and not on each page and in each
// look again: the frame around a page's own part, and texts that have the colours, size and weight of a text that was
// judged. {look: in the first every rule is asked about, in the second, which has another width, those that follow it,
// of what shows or scrolls only now, and colours, then colours alone; frames, styles: what was judged}
async ({look, frames, styles}) => {
	const short = (text) => {
		let hash = 0x811c9dc5;
		for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
		return (hash >>> 0).toString(36) + text.length.toString(36);
	};
	const main = document.querySelector("main");
	const around = []; // the outermost elements of the frame
	for (let e = main; e && e !== document.body; e = e.parentElement)
		around.push(...[...e.parentElement.children].filter((other) => other !== e && other.matches(":not(script)")));
	const width = document.documentElement.clientWidth;
	const frame = short(around.flatMap((e) => [e, ...e.querySelectorAll("*")])
		.map((e) => e.tagName + e.className + (e.getAttribute("role") || "") + e.checkVisibility() + width).join());
	const known = around.length > 0 && frames.includes(frame);

	const narrow = ["scrollable-region-focusable", "aria-hidden-focus", "button-name", "link-name", "label"];
	const elsewhere = ["target-size"]; // smallTargets asks more
	const colours = ["color-contrast", "link-in-text-block"];
	const off = Object.fromEntries([...colours, ...elsewhere].map((rule) => [rule, {enabled: false}]));
	const found = (results) => results.violations.filter((v) => v.impact !== "minor").map((v) => ({rule: v.id,
		help: v.help, where: v.nodes.slice(0, 4).map((n) => n.html + " :: " + n.failureSummary)}));
	const exclude = known ? around : [];
	const run = async (include, rules) => found(await axe.run({include, exclude}, {resultTypes: ["violations"], ...rules}));

	// What a width changes for the rules that follow it: what can be used, the words that name it, and what scrolls.
	const shows = (e) => e?.checkVisibility({checkVisibilityCSS: true});
	const state = (e) => (shows(e) ? [e, ...(e.labels ?? [])].map((part) => part.innerText).join() : "hidden") +
		(e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight ? getComputedStyle(e).overflow : "");
	const parts = [...document.body.querySelectorAll("*")].filter((e) => !exclude.some((part) => part.contains(e)) &&
		(e.matches("a, button, input, select, textarea, summary, [tabindex], [role]") ||
			/auto|scroll/.test(getComputedStyle(e).overflow)));
	let barriers = [];
	if (look === 0) {
		window.before = new Map(parts.map((e) => [e, state(e)]));
		barriers = await run([document.documentElement], {rules: off});
	} else if (look === 1) {
		const changed = parts.filter((e) => window.before?.get(e) !== state(e) && shows(e)); // all of a page that is new
		if (changed.length > 0) barriers = await run(changed, {runOnly: narrow});
		for (const part of ["h1", "main"])
			if (![...document.querySelectorAll(part)].some(shows))
				barriers.push({rule: part, help: "nothing of it shows in this width", where: []});
	}

	const style = (e) => { // of a text: what the verdict on its contrast follows
		const own = getComputedStyle(e);
		const size = parseFloat(own.fontSize), bold = own.fontWeight >= 700;
		const parts = [own.color, size >= 24 || bold && size >= 18.5, own.textShadow,
			!!e.closest(":disabled, [aria-disabled=true]"),
			e.tagName === "A" && own.textDecorationLine + getComputedStyle(e.parentElement).color];
		for (let at = e; at; at = at.parentElement) {
			const {backgroundColor, backgroundImage, opacity, filter} = getComputedStyle(at);
			if (backgroundColor !== "rgba(0, 0, 0, 0)") parts.push(backgroundColor);
			if (backgroundImage !== "none" || opacity !== "1" || filter !== "none") parts.push(backgroundImage, opacity, filter);
			if (/^(rgb\(|color\([^/]*\)$)/.test(backgroundColor) && opacity === "1") break; // what is behind is hidden
		}
		return short(parts.join());
	};
	const seen = (e) => { // by people who look: not what is only read out
		const box = e.getBoundingClientRect();
		return box.width > 1 && box.height > 1 && box.bottom > 0 &&
			e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
	};
	const says = (e) => e.matches("input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea") ||
		[...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
	const fresh = new Map();
	for (const e of document.body.querySelectorAll("*")) {
		if (!says(e) || !seen(e)) continue;
		const key = style(e);
		if (styles.includes(key)) continue;
		if (!fresh.has(key)) fresh.set(key, []);
		if (fresh.get(key).length < 4) fresh.get(key).push(e);
	}
	const judged = [];
	if (fresh.size > 0) {
		const results = await axe.run({include: [...fresh.values()].flat()},
			{runOnly: colours, resultTypes: ["violations", "passes"], elementRef: true});
		barriers = barriers.concat(found(results));
		for (const rule of results.passes.filter((r) => r.id === "color-contrast"))
			judged.push(...rule.nodes.map((n) => n.element && style(n.element)));
	}
	return JSON.stringify({barriers, frame: known ? "" : frame,
		styles: [...new Set(judged)].filter((key) => fresh.has(key)),
		undecided: [...fresh.keys()].filter((key) => !judged.includes(key))});
}
