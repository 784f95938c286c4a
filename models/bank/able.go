package bank

// Everything is a connection that can do all of it.
func Everything() Capabilities {
	return Capabilities{DebiCheck: true, RealTimeMandates: true, Refunds: true, RecallOne: true, Contest: true}
}

// CannotRefund is the reason alone, where what to do follows anyhow.
const CannotRefund = "Your bank connection cannot pay refunds."

// What a person reads who asks, or is about to ask, for something that the connection cannot do. Forms, buttons,
// refusals and the API say the same.
const (
	eftOnly     = "Your bank connection collects by EFT only; it cannot do DebiCheck."
	delayedOnly = "Your bank connection takes delayed requests only."
	noRefunds   = CannotRefund + " Pay the client yourself, then record the refund as paid back."
	noRecall    = "The bank has this debit, and your bank connection can no longer withdraw it. Wait for the result."
	noContest   = "Your bank connection cannot send mandates. If the bank asks for proof, " +
		"download the mandate and send it yourself."
	noVerification = "Your bank connection cannot check accounts."
)

// CodeUnable is ours: the bank connection cannot do what was asked, so that no bank has seen it. No bank answers it.
const CodeUnable = "UNABLE"

var unableToDebit = ReturnCode{CodeUnable, "Your bank connection cannot do DebiCheck", Blocked,
	"Store an account of the client by EFT.", "No. Store an account of the client by EFT first.", "", ErrorRejected}

var unableToAsk = MandateCode{CodeUnable, "Your bank connection cannot ask the client this way",
	"Send a delayed request, or store an account of the client by EFT."}

func unless(able bool, why string) string {
	if able {
		return ""
	}
	return why
}

// NoDebiCheck says why nothing can be collected by DebiCheck; empty when it can. Its siblings do the same.
func (c Capabilities) NoDebiCheck() string { return unless(c.DebiCheck, eftOnly) }

// NoRealTime says why payers cannot be asked in real time.
func (c Capabilities) NoRealTime() string { return unless(c.RealTimeMandates, delayedOnly) }

// NoRefunds says why the bank does not pay refunds.
func (c Capabilities) NoRefunds() string { return unless(c.Refunds, noRefunds) }

// NoRecall says why a debit that the bank has cannot be withdrawn.
func (c Capabilities) NoRecall() string { return unless(c.RecallOne, noRecall) }

// NoContest says why a mandate is not sent as proof against a dispute.
func (c Capabilities) NoContest() string { return unless(c.Contest, noContest) }

// NoVerification says why accounts cannot be checked; empty when somebody answers.
func NoVerification(v Verifier) string {
	switch v.(type) {
	case nil, NoVerifier, *NoVerifier:
		return noVerification
	}
	return ""
}
