package components_test

import (
	"github.com/a-h/templ"

	. "debitdesk/views/components"
	"debitdesk/views/viewtest"
)

type piece struct {
	name string
	part templ.Component
}

var (
	acts = []MenuItem{
		{Label: "Resend", Icon: "mail", Post: "/x", Fields: []Pair{{"a", "b"}}},
		{Label: "Edit", Icon: "edit", Href: "/x"},
		{Label: "Refund", Why: "Only a paid purchase can be refunded"},
		{Label: "Delete…", Href: "/x", Danger: true, Divider: true},
	}
	instant = Time{Text: "12 Nov 2026, 09:14", ISO: "2026-11-12T09:14:00+02:00", Title: "3 days ago"}
	ask     = Confirm{
		ID: "delete", Title: "Delete token ••1234?", Text: "It cannot be brought back.",
		Breaks: []string{"3 purchases use it"},
		Action: "/x", Fields: []Pair{{"id", "1"}}, Button: "Delete token", CancelHref: "/y", TypeLabel: "Type 1234",
	}
	words = viewtest.Words
)

// gallery holds every part in every state, so that a rule that one of them breaks is seen.
func gallery() []piece {
	return slicesOf(fields(), choices(), small(), lists(), boxes(), figures())
}

func slicesOf(groups ...[]piece) []piece {
	var all []piece
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

func fields() []piece {
	return []piece{
		{"field", Input(Field{Label: "Name", Name: "name"})},
		{"field, required, wrong", Input(Field{Label: "E-mail", Name: "email", Value: "a<b", Error: "Enter an @.",
			Hint: "Work address", Type: "email", Autocomplete: "email", Required: true, MaxLength: 254, AutoFocus: true})},
		{"field with boxes", Input(Field{Label: "Discount", Name: "d", ID: "other", Prefix: "R", Suffix: "%", Width: "s",
			Numeric: true, InputMode: "decimal", Min: "0", Max: "9", Placeholder: "0", Pattern: "[0-9]"})},
		{"field, read only", Input(Field{Label: "Id", Name: "i", Value: "1", ReadOnly: true,
			Attrs: templ.Attributes{"data-x": "y"}})},
		{"field, off", Input(Field{Label: "Id", Name: "i", Disabled: true})},
		{"select", Choose(Select{Label: "Bank", Name: "bank", Blank: "Choose", Hint: "h", Error: "Choose one.",
			Options:      []Option{{Value: "1", Text: "FNB", Selected: true}, {Value: "2", Text: "Absa", Disabled: true}},
			Autocomplete: "off"})},
		{"text area", Lines(Textarea{Label: "Notes", Name: "notes", Value: "</textarea>", Rows: 4, MaxLength: 10,
			Error: "Too long."})},
		{"tick", Tick(Checkbox{Label: "I agree", Name: "consent", Error: "Tick this.", Hint: "h", Required: true,
			Checked: true})},
		{"file", File(FileInput{Label: "Scan", Name: "scan", Accept: "application/pdf", Hint: "PDF", Error: "Too large.",
			Multiple: true})},
		{"money", Amount(MoneyField{Label: "Amount", Name: "amount", Value: "1234.5", Parsed: "R 1 234,50", Required: true})},
		{"money, wrong", Amount(MoneyField{Label: "Amount", Name: "amount", Value: "x", Parsed: "R 0",
			Error: "Not an amount."})},
		{"date", Date(DateField{Label: "Due", Name: "due", Value: "2026-12-01", Min: "2026-11-20", Max: "2027-01-01",
			Hint: "h"})},
		{"summary", Problems(ErrorSummary{Items: []ErrorItem{{"", "Closed until 03:00."}, {"x", "Wrong."}}})},
		{"no problems", Problems(ErrorSummary{})},
	}
}

func choices() []piece {
	return []piece{
		{"cards", Cards(RadioCards{Legend: "Type", Name: "type", Value: "A", Hint: "h", Error: "Choose one.", Columns: true,
			Required: true, Options: []RadioCard{{Value: "A", Title: "Current"},
				{Value: "B", Title: "Savings", Text: "t", Icon: "bank"},
				{Value: "C", Title: "Other", Badge: "Rare", Disabled: true}}})},
		{"picker, empty", PickClient(ClientPicker{Name: "client_id"})},
		{"picker, none found", PickClient(ClientPicker{Name: "client_id", Query: "zz", Error: "Choose a client."})},
		{"picker", PickClient(ClientPicker{Name: "client_id", Value: "1", Hint: "h", CreateHref: "/x", Required: true,
			Options: []Option{{Value: "1", Text: "Thandi", Note: "t@example.co.za"}}})},
		{"days", PickDate(DayPicker{Label: "Day", Name: "day", Value: "2026-12-02", Hint: "h", Error: "e",
			Months: []PickMonth{{"December 2026", [][]PickDay{{{}, {Number: "1", Why: "too soon"},
				{Number: "2", Value: "2026-12-02", Spoken: "2 December", Today: true},
				{Number: "6", Value: "2026-12-06", Note: "moves to Monday"}, {}, {}, {}}}}}})},
	}
}

func small() []piece {
	return []piece{
		{"button", Press(Button{Label: "Save", Kind: "primary", Icon: "check", Name: "a", Value: "b", Form: "f",
			FormAction: "/x", ID: "b"})},
		{"button, off", Press(Button{Label: "Save", Kind: "danger", Disabled: true, Why: "Closed", Small: true,
			Block: true})},
		{"button, icon", Press(Button{Label: "Close", Icon: "x", IconOnly: true, Type: "button"})},
		{"link button", LinkButton(Button{Label: "Go", Href: "/x", ID: "go"})},
		{"link button, icon", LinkButton(Button{Label: "Go", Icon: "x", IconOnly: true, Href: "/x"})},
		{"link button, off", LinkButton(Button{Label: "Go", Href: "/x", Disabled: true})},
		{"pill, draft", Status(Pill{"draft", "Created", ""})},
		{"pill, progress", Status(Pill{"progress", "Pending", "Goes out tomorrow"})},
		{"pill, wait", Status(Pill{"wait", "Waits", ""})},
		{"pill, done", Status(Pill{"done", "Paid", ""})},
		{"pill, bad", Status(Pill{"bad", "Unpaid", ""})},
		{"pill, unknown", Status(Pill{"?", "Odd", ""})},
		{"time", When(instant)},
		{"id", ID(IDChip{ID: "01935f3e-7a1b-7c3d-8e4f-9a0b1c2d3e4f", What: "purchase", Href: "/x"})},
		{"id, short", ID(IDChip{ID: "abc", Short: "a"})},
		{"copy", Copy(CopyButton{Text: `"x"`, Label: "Copy link", Shown: true})},
		{"face", Face(Avatar{Initials: "NK", Size: "small"})},
		{"message", viewtest.Around(Message(Note{Kind: "bad", Title: "t", Text: "x"}), words("more"))},
		{"message, plain", Message(Note{Text: "x"})},
		{"toast", Toast(Flash{Kind: "ok", Text: "Done", Undo: "/undo"})},
	}
}

func lists() []piece {
	keep := []Pair{{"status", "paid"}}
	return []piece{
		{"head", viewtest.Around(Top(PageHead{Title: "Clients", Count: "12", Sub: "s", Back: Link{"Home", "/"},
			Primary: Button{Label: "New", Href: "/x"}, Secondary: []Button{{Label: "Export", Href: "/y"}}, Menu: acts}),
			words("pill"))},
		{"head, bare", Top(PageHead{Title: "Clients"})},
		{"tabs", StatusTabs(Tabs{Target: "#list", Items: []Tab{
			{Label: "All", Count: "1 240", Href: "?a=1&b=2", Active: true}, {Label: "Paid", Href: "?"}}})},
		{"filters", viewtest.Around(Filters(FilterBar{Action: "/x", Target: "#list", SearchLabel: "Search", Search: "q",
			Keep: keep, Chips: []Chip{{"Paid", "?"}}, ClearHref: "?", Found: "1"}), words("fields"))},
		{"filters, plain", Filters(FilterBar{Action: "/x", Plain: true})},
		{"pager", Pages(Pager{NewerHref: "?a", OlderHref: "?b", Text: "50 of 1 240", Target: "#list"})},
		{
			"pager, a search that goes on",
			Pages(Pager{OlderHref: "?b", Searched: "19 Nov 2026, 15:05:00 SAST", Target: "#list"}),
		},
		{"pager, a search of what is newer", Pages(Pager{NewerHref: "?a", Searched: "19 Nov 2026, 15:05:00 SAST",
			SearchedNewer: true, Target: "#list"})},
		{"pager, nothing", Pages(Pager{})},
		{"empty", Nothing(Empty{Title: "No clients yet", Text: "t", Action: Button{Label: "Add", Href: "/x"},
			More: Link{"Sample", "/s"}})},
		{"empty, no match", Nothing(Empty{Kind: NothingMatches, Filters: []string{"Paid"}, ClearHref: "?"})},
		{"empty, not allowed", Nothing(Empty{Kind: NotAllowed, Text: "Ask an admin."})},
		{"table", viewtest.Around(Wrap(TableWrap{Label: "Rows", ID: "rows"}), words("table"))},
	}
}

func boxes() []piece {
	return []piece{
		{"card", viewtest.Around(Box(Card{Title: "Facts", Sub: "s", ID: "facts", More: Link{"All", "/x"},
			Actions: words("a")}), words("body"))},
		{"facts", Details(Facts{Wide: true, Items: []Fact{{Label: "A", Value: "b", Mono: true, Copy: "b"},
			{Label: "B", Href: "/x"}, {Label: "C", Part: When(instant)}}})},
		{"history",
			History(Timeline{Days: []Day{{"Planned", []Entry{{Icon: "bank", Text: "Debit", At: instant, Planned: true}}},
				{"12 November", []Entry{{Kind: "bad", Text: "Unpaid", Actor: "Bank", Href: "/x", Detail: "02"},
					{Text: "Note", Part: words("p")}}}}})},
		{"menu", DotMenu(Menu{Items: acts, Small: true})},
		{"menu in words", DotMenu(Menu{Button: Button{Label: "New", Icon: "plus"}, Items: acts})},
		{"confirm page", viewtest.Around(ConfirmPage(ask), words("more"))},
		{"steps", Steps(Stepper{Steps: []Step{{"Start", "/x", "past"}, {"Map", "", "now"}, {"Run", "", "next"}}})},
		{"progress", Bar(Progress{Label: "Sent", Text: "3 of 9", Value: 3, Max: 9})},
		{"progress of nothing", Bar(Progress{Label: "Sent"})},
		{"live", Live(MandateLive{ID: "live-1", Stream: "/x/events",
			Now: LivePanel{State: Pill{"wait", "Waiting", ""}, Headline: "Waiting", Detail: "d", Reload: "/x",
				Ring: &Ring{NowMS: "1000", ExpiresMS: "121000", Seconds: "120", Big: "2:00", Small: "left", Words: "2 minutes left",
					Gap: "0.0"},
				Steps: []LiveStep{{Label: "Sent", State: "past", At: instant}, {Label: "Delivered", State: "now"},
					{Label: "Answer", State: "next", Note: "n"}}}})},
		{"live, over", Live(MandateLive{ID: "live-1", Now: LivePanel{State: Pill{"bad", "Declined", ""}, Headline: "Declined",
			Steps: []LiveStep{{Label: "Answer", State: "bad"}, {Label: "Odd"}},
			Next: []LiveAct{{Button: Button{Label: "Again"}, Post: "/x", Fields: []Pair{{"method", "REALTIME"}}, Hint: "h"},
				{Button: Button{Label: "EFT", Href: "/y"}}}}})},
		{"code", Source(Code{Label: "curl", Text: "curl '<x>'", Wrap: true})},
	}
}

func figures() []piece {
	return []piece{
		{"figures", Figures([]Stat{{Label: "Collected", Value: "R 1", Trend: "up", TrendText: "more", Note: "n", Href: "/x"},
			{Label: "B", Value: "2", Trend: "down", TrendText: "less"}, {Label: "C", Value: "3"}})},
		{"chart", Chart(BarChart{
			Title:  "t",
			Series: []string{"Collected", "Unpaid"},
			Bars: []ChartBar{
				{Label: "1 Dec", Values: []int64{10, 2}, Texts: []string{"10", "2"}, Short: []string{"12"}, Href: "/x",
					Figures: []Figure{{Text: "10", Href: "/x", Total: TotalOf(1, 10), Label: "ten"}}},
				{Label: "2 Dec", Values: []int64{0, 0}, Texts: []string{"0", "0"}},
			},
			Ticks:   []Mark{{0, "0"}, {20, "20"}},
			XLabels: []string{"1", "2"},
		})},
		{"chart of nothing", Chart(BarChart{Title: "t"})},
	}
}
