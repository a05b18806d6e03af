package docs

import (
	"strings"
	"testing"
)

// checkTwin compares the blocks of code, files and transcripts. With fix, the transcripts and frames are taken over.
func checkTwin(en, zh *text, fix bool) []string {
	a, b := en.common(), zh.common()
	for n := range max(len(a), len(b)) {
		switch {
		case n >= len(b):
			return []string{zh.at(len(zh.lines)-1, "a block is missing: ```%s %s of %s:%d", en.blocks[a[n]].lang, en.blocks[a[n]].file, en.path, en.blocks[a[n]].start)}
		case n >= len(a):
			return []string{zh.at(zh.blocks[b[n]].start-1, "%s has no such block", en.path)}
		}
		x, y := en.blocks[a[n]], zh.blocks[b[n]]
		same := firstDifference(en.body(x), zh.body(y))
		switch {
		case x.lang != y.lang || x.file != y.file:
			return []string{zh.at(y.start-1, "```%s %s stands where %s:%d has ```%s %s", y.lang, y.file, en.path, x.start, x.lang, x.file)}
		case same >= 0 && fix && x.file == "":
			zh.replace(b[n], en.body(x))
		case same >= 0:
			return []string{zh.at(y.start+same, "not the block of %s:%d:\n\tEnglish  %s\n\tChinese  %s\n\tgo test ./docs -update copies transcripts; copy the rest by hand",
				en.path, x.start+1, lineAt(en.body(x), same), lineAt(zh.body(y), same))}
		}
	}
	return nil
}

// common are the indexes of the blocks that both languages share.
func (t *text) common() (list []int) {
	for i, b := range t.blocks {
		if b.file != "" || b.lang == "console" || b.lang == "wire" {
			list = append(list, i)
		}
	}
	return list
}

func TestEveryLieOfATwinIsFound(t *testing.T) {
	for _, lie := range []struct {
		name, truth, lie, want string
		mended                 bool
	}{
		{"nothing is wrong", "", "", "", false},
		{"a drawing may differ", "# The `day`", "~~~text\n图\n~~~\n\n# 天", "", false},
		{"code is translated", "// call calls.", "// call 调用。", "not the block of docs/day15.md", false},
		{"output is translated", "The answer", "答案", "not the block of docs/day15.md", true},
		{"a frame is another one", `"id": 1,`, `"id": 2,`, "not the block of docs/day15.md", true},
		{"a block is missing", "~~~json drills/a.json\n{\"a\": 1}\n~~~\n", "", "stands where docs/day15.md", false},
		{"the last block is missing", "~~~wire", "~~~text", "a block is missing", false},
		{"a block is added", "~~~json", "~~~json b.json\n~~~\n~~~json", "stands where docs/day15.md", false},
	} {
		t.Run(lie.name, func(t *testing.T) {
			repo := lay(t, map[string]string{"docs/day15.md": trueText, "docs/zh/day15.md": strings.Replace(trueText, lie.truth, lie.lie, 1)})
			en, _ := readText(repo, "docs/day15.md")
			zh, _ := readText(repo, "docs/zh/day15.md")
			if faults := checkTwin(en, zh, false); !found(faults, lie.want) {
				t.Errorf("no fault says %q; they are\n%s", lie.want, strings.Join(faults, "\n"))
			}
			if faults := checkTwin(en, zh, true); lie.mended && (faults != nil || checkTwin(en, zh, false) != nil) {
				t.Errorf("-update leaves %v", faults)
			}
		})
	}
}
