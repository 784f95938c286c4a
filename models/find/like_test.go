package find

import "testing"

func TestWordsAreLikeThatDifferByALetter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"thabo", "thabo", 0}, {"tahbo", "thabo", 1}, {"govendr", "govender", 1}, {"gvoendr", "govender", 2},
		{"goovender", "govender", 1}, {"nkosi", "nkomo", 2}, {"", "abc", 3}, {"zöllner", "zöllmer", 1}} {
		if got := apartBy([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	hits := []Hit{{Name: "Thandi Nkosi"}, {Name: "Thabo Mokoena"}, {Name: "Sipho Zulu"}}
	if got := alike(hits, []string{"tahbo"}); len(got) != 1 || got[0].Name != "Thabo Mokoena" || got[0].Score != ByLike {
		t.Errorf("%+v", got)
	}
	for text, may := range map[string]bool{"Govendr": true, "Tahbo Mokena": true, "R 649": false, "INV-12": false,
		"abc": false, "a b": false, "one two three four": false} {
		if m := (Meaning{Words: words(text)}); m.mayBeLike() != may {
			t.Errorf("%q: %v", text, !may)
		}
	}
}

func words(text string) []string { return Understand(text, today).Words }
