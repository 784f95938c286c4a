package components

import "context"

// FormWords are the words that forms need beside those that they are given.
type FormWords struct {
	Optional string
	Error    string // before what is wrong with a field
	Problems func(n int) string
}

// LanguageLink leads to the page in another language.
type LanguageLink struct {
	Name, Tag, Href string
	Current         bool
}

type speakKey struct{}

// Speak has the forms on a page use these words, in the place of the English ones.
func Speak(ctx context.Context, w FormWords) context.Context {
	if w.Problems == nil {
		return ctx
	}
	return context.WithValue(ctx, speakKey{}, w)
}

func spoken(ctx context.Context) FormWords {
	if w, said := ctx.Value(speakKey{}).(FormWords); said {
		return w
	}
	return FormWords{Optional: "optional", Error: "Error:", Problems: summaryTitle}
}
