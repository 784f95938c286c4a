package mytext

import "debitdesk/models/clientpage"

// Texts of the mails.
const (
	MailPreview = "See what you owe, what is planned and what you paid."
	MailOpens   = "On it you see what you owe, what is planned and what you paid, and you can change what you need to. " +
		"Before anything changes, a code is sent to you."
	MailUntil     = "Works until"
	MailOnlyYou   = "The link is only for you. Do not send it on. We never ask for your PIN or password."
	CodeAsk       = "If this is what you want, enter the code on your page."
	CodeName      = "Code"
	AnswerPreview = "Your request was answered."
)

// MailSent says why there is a link.
func MailSent(brand string, asked bool) string {
	if asked {
		return "You asked for a link to your page at " + brand + "."
	}
	return brand + " sends you a link to your own page."
}

// SMSSent brings a link to the page in a short message: plain letters, and short, for each part is paid for.
func SMSSent(brand, link string) string {
	return brand + ": your page with what you owe and paid: " + link + " Works 24 hours, only for you. STOP to end SMS."
}

// CodeSubject is the subject of a mail with a code. The code stands in the mail alone: subjects are shown on locked
// phones.
func CodeSubject(brand string) string { return "Your code for your page at " + brand }

// CodeKeep says that a code is for nobody else.
func CodeKeep(brand string) string {
	return "Keep the code to yourself: " + brand + " never asks for it. " +
		"If you did not ask for this, do nothing; nothing changes."
}

// DidSubject is the subject of a confirmation.
func DidSubject(a clientpage.Act) string {
	if a.Wish.Asks {
		return "We have your request"
	}
	return map[clientpage.Kind]string{clientpage.Promise: "You said when you will pay",
		clientpage.Invoice: "Your invoice was sent again", clientpage.Day: "Your debit was moved",
		clientpage.Stop: "Your subscription is stopped", clientpage.Pause: "Your subscription is paused",
		clientpage.Account: "Give your new bank account"}[a.Kind]
}

// NotYou says what to do where it was another person.
func NotYou(who string) string {
	return "If it was not you, speak to " + who + " at once: it can be undone."
}

// AnswerSubject is the subject of the answer to a request.
func AnswerSubject(brand string) string { return "Answer of " + brand + " to your request" }

// AnswerTo names the request that is answered.
func AnswerTo(r clientpage.Request) string {
	return "You sent a request on " + Day(r.ReceivedOn) + ": " + r.Kind.Label() + ". This is the answer:"
}

// AnswerAfter says what a client can do who does not agree.
func AnswerAfter(who string, right bool) string {
	if right {
		return "If you do not agree, speak to " + who + ". You can also complain to the Information Regulator (South Africa)."
	}
	return "If you have a question, speak to " + who + "."
}
