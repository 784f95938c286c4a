package sheet

import "io"

// Uncalculated names the first formula without a result.
func Uncalculated(r io.Reader) string {
	cell, _, _ := scanCells(r)
	return cell
}
