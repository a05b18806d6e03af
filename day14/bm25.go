package main

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Hit is a passage of a document, as a search finds it.
type Hit struct {
	Document
	Passage int // its number in the document, from 1
	Text    string

	words []string // of the title and the text
	score float64
}

// Search returns the passages that match the query best by BM25, the best first, at most limit; none if no word of the
// query occurs. The same query on the same documents always has the same answer.
func (k *Knowledge) Search(query string, limit int) (hits []Hit) {
	total := 0.0 // words of all passages
	for _, d := range k.Stored {
		for i, text := range passages(d.Text) {
			words := searchWords(d.Title + "\n" + text)
			hits, total = append(hits, Hit{d, i + 1, text, words, 0}), total+float64(len(words))
		}
	}
	all := float64(len(hits))
	for _, word := range searchWords(query) {
		isCJK := cjkRun.MatchString(word)
		counts, found := make([]float64, len(hits)), 0.0
		for i, hit := range hits {
			for _, w := range hit.words {
				if w == word || isCJK && strings.Contains(w, word) { // one character is found in a pair
					counts[i]++
				}
			}
			found += min(counts[i], 1)
		}
		rarity := math.Log(1 + (all-found+0.5)/(found+0.5))
		for i, count := range counts {
			length := float64(len(hits[i].words)) * all / total                // 1 is the average
			hits[i].score += rarity * count / (count + 1.2*(0.25+0.75*length)) // the usual constants: k1 = 1.2, b = 0.75
		}
	}
	hits = slices.DeleteFunc(hits, func(hit Hit) bool { return !(hit.score > 0) })
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.score, a.score) })
	return hits[:min(limit, len(hits))]
}

var (
	cjkRun = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]+`)
	// nameParts match where a part of an identifier ends and the next begins, as in getUser and HTTPServer.
	nameParts = regexp.MustCompile(`([\p{Ll}\p{Nd}])(\p{Lu})|(\p{Lu})(\p{Lu}\p{Ll})`)
	// searchWord matches a language such as C# or C++, or a word.
	searchWord = regexp.MustCompile(`\b[a-z](?:#|\+\+)|[\pL\pN\pM]+`)
)

// searchWords returns the words of a text, in lower case; of an identifier such as getUserName or user_name its parts.
// Chinese, Japanese and Korean text has no spaces to rely on, so there each pair of neighbours is a word, and a character
// without neighbours is one.
func searchWords(text string) (words []string) {
	text = nameParts.ReplaceAllString(cjkRun.ReplaceAllString(text, " $0 "), "$1$3 $2$4")
	for _, word := range searchWord.FindAllString(strings.ToLower(text), -1) {
		if !cjkRun.MatchString(word) {
			words = append(words, word)
			continue
		}
		characters := []rune(word)
		for i := range characters[:max(1, len(characters)-1)] {
			words = append(words, string(characters[i:min(i+2, len(characters))]))
		}
	}
	return words
}

// longestPassage matches the first 800 characters of a text: a model can be shown several passages of this length, and
// one is still long enough to answer a question.
var longestPassage = regexp.MustCompile(`(?s)\A.{1,800}`)

// passages cuts a text: all of it, in order, but for the white space around each passage. They do not overlap: the cuts
// lie where one thought ends, and a repeated sentence would be found, and paid for, twice.
func passages(text string) (found []string) {
	for text = strings.TrimSpace(text); text != ""; {
		end := len(longestPassage.FindString(text))
		for _, mark := range strings.Split("\n#|\n\n|\n|。|！|？|. |! |? | ", "|") { // the best first
			if at := strings.LastIndex(text[:end], mark); end < len(text) && at > end/2 {
				end = at + len(strings.TrimRight(mark, "\n# "))
				break
			}
		}
		found = append(found, strings.TrimSpace(text[:end]))
		text = strings.TrimSpace(text[end:])
	}
	return found
}
