package mytext

// Section is a heading with what stands below it.
type Section struct {
	Title string
	Texts []string
	List  bool
}

// Accessibility is the statement of accessibility of the pages for clients. Known faults are named (source: follow-up,
// section 12).
func Accessibility() []Section {
	return []Section{
		{"", []string{"We want everyone to be able to use these pages: your own page, the payment pages and the pages of " +
			"your subscriptions."}, false},
		{"What you can expect", []string{
			"Every page works with the keyboard alone, and without JavaScript.",
			"Every page can be read with a screen reader: headings, labels and errors are in words.",
			"Text can be enlarged to 400 % without scrolling sideways; the pages fit a phone of 320 pixels.",
			"The pages follow your device’s dark mode, and colours have the contrast of WCAG 2.2, level AA.",
			"Nothing moves or changes on its own, and codes can be pasted.",
			"Each page weighs less than 30 kilobytes."}, true},
		{"Known faults", []string{
			"The PDF files of invoices, receipts and agreements are not tagged for screen readers. The pages " +
				"say the same in words.",
			"Your page closes after 30 minutes and cannot be kept open longer. You can open your link again; a form that " +
				"was not sent has to be filled in again.",
			"The pages are in English only.",
			"The pages have been checked by programs and by ourselves, not by an independent person."}, true},
		{"Tell us", []string{"If you cannot use a page, speak to the business that is named at its top: by phone, by mail " +
			"or in person. It can do everything for you that the page does."}, false},
	}
}
