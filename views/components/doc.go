// Package components holds the parts that pages are made of. Each takes a small struct of finished words and flags and
// renders every state of it; none knows a business type, a route of the house (but for the client search and the
// developer pages) or a clock.
//
// # What draws what
//
// A struct holds the words, a templ function of another name draws it:
//
//	fields   Field→Input  Select→Choose  Textarea→Lines  Checkbox→Tick  RadioCards→Cards  FileInput→File
//	         MoneyField→Amount  DateField→Date  DayPicker→PickDate  ClientPicker→PickClient  ErrorSummary→Problems
//	words    Button→Press or LinkButton  Pill→Status  Money→Sum  Time→When  IDChip→ID  CopyButton→Copy  Avatar→Face
//	         Note→Message  Icon(name)  IconIn(name, kind)  SmallIcon(name)
//	tables   TableWrap→Wrap  Head→Th  CheckAll(group)  CheckRow(group, name, value, label, checked)
//	lists    PageHead→Top  Tabs→StatusTabs  FilterBar→Filters  Pager→Pages  Empty→Nothing
//	boxes    Card→Box  []Stat→Figures  Facts→Details  Timeline→History  Menu→DotMenu  Confirm→ConfirmPage
//	         Stepper→Steps  Progress→Bar  Code→Source  Flash→Toast  []Pair→Hidden
//	parts    DeveloperNav(active, sandbox)
//	live     MandateLive→Live (LivePanel→LiveInside is what its stream sends)
//	charts   BarChart→Chart (values by NiceTicks)
//
// # Conventions for pages
//
// A page is layout.Page(frame) around PageHead and boxes. There is one primary button on a page, in its head or at the
// end of its form. Everything works as links and plain form posts; htmx and app.js only make it smoother.
//
// Boxes (classes): stack (18 px between children), stack-s (8 px), row (flex, wraps; a child "push" goes to the far
// end), grid-2 grid-3 grid-4 (columns that fold on small screens), split (65/35, main first, aside second), narrow
// (640 px). stats is the row of Stat figures.
//
// Card(Card{...}) draws head, children, and nothing else: wrap running content in <div class="card-body">; put tables,
// lists (<ul class="list-lines">), tabs and pagers straight into it, they bring their own padding.
//
// Tables: TableWrap{Label} around <table class="table">; add "stacks" and data-label="Due" on cells (not on the first
// cell, nor on check and actions) to make rows fold into blocks on phones. Cell classes: num (right, tabular), check,
// tight, nowrap, actions, phone-hide. The first cell's link is class main-link, a second line is <span class="second">.
// Heads are Head{...}; sortable heads are links. Money goes into <td class="num">, times into Time, ids into IDChip.
//
// Lists that htmx swaps: give the box that is replaced an id, and pass Target: "#that-id" to Tabs, FilterBar, Head and
// Pager. They then fetch their own href, take the same box out of the answer (page or fragment) and push the URL.
//
// Forms: <form class="form" method="post" novalidate> with ErrorSummary first, Field and its kin, then
// <div class="form-actions"> with the primary Button and a quiet LinkButton back. Two columns: class form-grid, with
// "full" on what spans both. Sections: <fieldset class="form-section"><legend>. A Field that is not Required shows
// "optional" after its label. Field ids equal names, so that ErrorSummary and tests can point at them. Input widths:
// Width "s", "m", "l" or whole.
//
// A dangerous act is a Confirm: a link leads to the question as a page of its own (ConfirmPage).
//
// app.js listens to: data-copy (copy button), data-check-all="row group", data-row="row group",
// data-selected-count, data-picker, data-toast-for, data-submit (a select or radio that sends its form when
// changed). Toasts come from kit.Tell, also for answers to htmx. keys.js clicks what has data-key ("n", "g c").
//
// Words arrive finished: amounts as "1 234,50" and dates as "1 Dec 2026" with no-break spaces inside, negatives with a
// true minus, missing values empty (parts then print a dash or leave the line out).
//
// Text helpers (classes): muted, small, mono, ok-text, bad-text, warn-text, nowrap, wrap-anywhere, big-money, vh (for
// screen readers only), phone-hide, phone-only.
package components
