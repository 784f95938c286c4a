package pages

import "strconv"

func holdersMore(n int) string { return "and " + strconv.Itoa(n) + " more" }
