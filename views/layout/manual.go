package layout

// ManualFrame is what stands around a page of the manual: the way back, the search, the list of chapters. Found says
// in words how many sections a search found.
type ManualFrame struct {
	Title, Theme string
	SignedIn     bool
	Query, Found string
	Groups       []ManualGroup
}

// ManualGroup is a heading of the list with its chapters.
type ManualGroup struct {
	Title string
	Links []ManualLink
}

// ManualLink leads to a chapter, or to a section of the one that is open.
type ManualLink struct {
	Title, Href string
	Active      bool
	Sections    []ManualLink
}
