package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The constants of BM25, at their usual values: bm25K1 says how much the tenth occurrence of a word still counts, bm25B how much
// a long passage has to contain to count as much as a short one.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// wordIndex finds passages by their words. It never changes.
type wordIndex struct {
	passages []Hit
	lengths  []int // in tokens
	mean     float64
	postings map[string][]posting
}

// posting says that a token stands in a passage, and how often.
type posting struct{ passage, count int }

// newIndex takes the passages in the order in which equally good ones are to be found. The words of a title count in
// each passage of its document.
func newIndex(passages []Hit) *wordIndex {
	x := &wordIndex{passages: passages, postings: map[string][]posting{}}
	total := 0
	for i, passage := range passages {
		counts := map[string]int{}
		words := tokens(passage.Title + "\n" + passage.Text)
		for _, token := range words {
			counts[token]++
		}
		for token, count := range counts {
			x.postings[token] = append(x.postings[token], posting{i, count})
		}
		x.lengths = append(x.lengths, len(words))
		total += len(words)
	}
	x.mean = float64(total) / float64(max(len(passages), 1))
	return x
}

// search returns the passages that share a token with the query, the best first, at most limit.
func (x *wordIndex) search(query string, limit int) []Hit {
	words := tokens(query)
	slices.Sort(words) // sums of floats depend on their order
	scores := map[int]float64{}
	for _, token := range slices.Compact(words) {
		found := x.find(token)
		n, all := float64(len(found)), float64(len(x.passages))
		rarity := math.Log(1 + (all-n+0.5)/(n+0.5))
		for passage, count := range found {
			norm := bm25K1 * (1 - bm25B + bm25B*float64(x.lengths[passage])/x.mean)
			scores[passage] += rarity * float64(count) * (bm25K1 + 1) / (float64(count) + norm)
		}
	}
	order := make([]int, 0, len(scores))
	for passage := range scores {
		order = append(order, passage)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(i, j)) })
	var hits []Hit
	for _, passage := range order[:min(limit, len(order))] {
		hit := x.passages[passage]
		hit.Score = scores[passage]
		hits = append(hits, hit)
	}
	return hits
}

// find returns how often a token stands in which passages. A single CJK character is also found inside the pairs.
func (x *wordIndex) find(token string) map[int]int {
	found := map[int]int{}
	for _, p := range x.postings[token] {
		found[p.passage] = p.count
	}
	if r, size := utf8.DecodeRuneInString(token); size == len(token) && isCJK(r) {
		for pair, postings := range x.postings {
			if pair != token && strings.Contains(pair, token) {
				for _, p := range postings {
					found[p.passage] += p.count
				}
			}
		}
	}
	return found
}

// tokens returns the words of a text, in lower case: runs of letters and digits. Chinese, Japanese and Korean text has
// no spaces to rely on, so there each pair of neighbours is a token, and a character without neighbours is one.
func tokens(text string) []string {
	var found []string
	text = strings.ToLower(text)
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		kind := isWord
		if isCJK(r) {
			kind = isCJK
		} else if !isWord(r) {
			text = text[size:]
			continue
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !kind(r) })
		if end < 0 {
			end = len(text)
		}
		run := []rune(text[:end])
		text = text[end:]
		if isCJK(r) && len(run) > 2 {
			for i := range run[1:] {
				found = append(found, string(run[i:i+2]))
			}
			continue
		}
		found = append(found, string(run))
	}
	return found
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !isCJK(r)
}

func isCJK(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
