package handlers

import (
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/models/actor"
	"debitdesk/models/book"
	"debitdesk/models/logo"
)

// stack is the middleware before an address, outermost first.
type stack []echo.MiddlewareFunc

// guard is what stands before an address.
type guard struct {
	asks    bool // who calls, and whether they may do the action
	sandbox bool // the address is not there in live mode
	before  func(*edge, actor.Action) stack
}

// The largest bodies, in bytes.
const (
	smallForm   = 64 << 10 // room for any form without files
	scanForm    = 6 << 20  // a form with the scan of a mandate
	logoForm    = 1 << 20  // a form with a picture
	bigFile     = 21 << 20 // a file of 20 MB with its form, or as much pasted text
	jsonBody    = 1 << 20  // a JSON request (ours: API contract 1.7)
	billingBody = 8 << 20  // a request that names many clients
)

// These ask nobody who they are.
var (
	open          = guard{before: func(*edge, actor.Action) stack { return nil }}
	maybeSignedIn = guard{before: func(e *edge, _ actor.Action) stack { return stack{access.Perhaps(e.Session)} }}
	openForm      = guard{before: func(*edge, actor.Action) stack { return stack{limitBody(smallForm), sameOrigin()} }}
	providerCall  = guard{before: func(*edge, actor.Action) stack { return stack{limitBody(jsonBody)} }}
	tokenRequest  = guard{before: func(e *edge, _ actor.Action) stack {
		return stack{e.logged, limitBody(smallForm), e.failures.guarded}
	}}
)

// These are for people who are signed in.
var (
	page        = pageWith(limitBody(smallForm))
	pageScan    = pageWith(limitUpload(scanForm, scanFile))
	pageLogo    = pageWith(limitUpload(logoForm, logo.MostBytes))
	pageFile    = pageWith(limitUpload(bigFile, tableFile))
	pageBook    = pageWith(limitUpload(bookFile+1<<20, bookFile))
	pageScans   = pageWith(limitUpload(book.MostScanBytes+1<<20, book.MostScanBytes))
	sandboxPage = guard{asks: true, sandbox: true, before: page.before}
	// pageProof asks for the second factor again.
	pageProof = guard{asks: true, before: func(e *edge, act actor.Action) stack {
		return append(page.before(e, act), access.RequireProof(e.KeptForms))
	}}
)

// These are for people's own matters: whoever only looks may send what comes here.
var (
	ownPage  = own(page)
	ownProof = own(pageProof)
)

func own(g guard) guard {
	return guard{asks: g.asks, before: func(e *edge, act actor.Action) stack {
		return append(stack{access.OwnMatter}, g.before(e, act)...)
	}}
}

func pageWith(limit echo.MiddlewareFunc) guard {
	return guard{asks: true, before: func(e *edge, act actor.Action) stack {
		return stack{limit, sameOrigin(), access.RequirePage(e.Session), permitted(act), e.remembered, e.onStandby}
	}}
}

// These are for programs, and for people whose page calls the API.
var (
	apiCall  = apiWith(jsonBody)
	apiLarge = apiWith(billingBody)
	// apiProof asks people for the second factor again.
	apiProof = guard{asks: true, before: func(e *edge, act actor.Action) stack {
		return append(append(append(stack{within(apiTime)}, e.callers(jsonBody, act)...), access.RequireProofOfCallers),
			e.repeatable()...)
	}}
	// sandboxCall may take as long as it needs, such as a clock that is moved over many debits.
	sandboxCall = guard{asks: true, sandbox: true, before: func(e *edge, act actor.Action) stack {
		return append(e.callers(smallForm, act), e.repeatable()...)
	}}
)

func apiWith(bodyBytes int64) guard {
	return guard{asks: true, before: func(e *edge, act actor.Action) stack {
		return append(append(stack{within(apiTime)}, e.callers(bodyBytes, act)...), e.repeatable()...)
	}}
}

// callers is the part that looks at who calls.
func (e *edge) callers(bodyBytes int64, act actor.Action) stack {
	return stack{e.logged, limitBody(bodyBytes), e.failures.guarded,
		access.RequireAPI(e.Bearer, e.Session), e.calls.throttled, permitted(act)}
}

// repeatable is the part that runs a request for show, or once however often it comes.
func (e *edge) repeatable() stack {
	return stack{api.DryRun, api.Idempotent(e.Replays, e.Sandbox)}
}
