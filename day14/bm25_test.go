package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSearchWords(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"words in lower case, without punctuation", "Hello, World! It's 2 o'clock.", "hello world it s 2 o clock"},
		{"accents, composed or not", "Café Cafe\u0301", "café cafe\u0301"},
		{"other alphabets", "Привет ΚΌΣΜΕ नमस्ते", "привет κόσμε नमस्ते"},
		{"Chinese as pairs of neighbours", "掷骰子，协议", "掷骰 骰子 协议"},
		{"Chinese and English without a space", "用MCP协议v2吧", "用 mcp 协议 v2 吧"},
		{"Japanese and Korean", "サーバー 도구들", "サー ーバ バー 도구 구들"},
		{"identifiers by their parts", "getUserName user_id HTTPServer __init__", "get user name user id http server init"},
		{"languages", "C# and C++, not c or a#b", "c# and c++ not c or a# b"},
		{"nothing", " \n\t…!_", ""},
		{"bytes that are no UTF-8 separate words", "a\xffb", "a b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(searchWords(test.text), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// corpus makes a knowledge base of "Title: text" lines.
func corpus(text string) *Knowledge {
	k := &Knowledge{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		title, text, _ := strings.Cut(line, ": ")
		k.Stored = append(k.Stored, Document{Title: strings.TrimSpace(title), Text: strings.TrimSpace(text)})
	}
	return k
}

const english = `
	Dice: The dice tool rolls one die and returns a number from one to six.
	Words: The word count tool counts the characters and the words of a phrase.
	Weather: The weather tool returns the temperature and the wind of a city.
	Permissions: A rule in GeekAgent.json allows, asks or denies a tool. Deny is the strictest policy. The file is read at the start.
	Session: The conversation is saved in a file when the program ends, and resumed with the command resume.
	Transport: A server is a child process; each message of the protocol is one line of JSON on its standard input.
	Tea: Green tea is brewed at eighty degrees for two minutes. Tea from the first harvest is the best tea.
	Bread: Bread is baked at two hundred degrees for forty minutes, until the crust is brown.`

const chinese = `
	骰子: 骰子工具掷一次骰子，返回一到六之间的一个数字。
	字数: 字数工具统计一个词组的字符数和词数。
	天气: 天气工具返回一个城市的气温和风力。
	权限: 规则写在配置文件里，可以允许、询问或拒绝一个工具，拒绝是最严格的策略。
	会话: 程序退出时保存对话，下次启动可以恢复。
	泡茶: 绿茶用八十度的水泡两分钟，头采的茶最好。
	面包: 面包在两百度的烤箱里烤四十分钟，直到外皮变成棕色。`

const languages = `
	c: c c c c pointers
	Sharp: The C# service uses records.
	Plus: The C++ service uses move.
	Camel: Call getUserName() first.
	Snake: Call set_user_name first.`

func TestSearchFindsThePassageThatIsMeant(t *testing.T) {
	tests := []struct{ name, corpus, query, want string }{
		{"a rare word counts more than frequent ones", english, "what does the tool say of the wind in the city", "Weather"},
		{"a word that stands there twice, in a short passage", english, "degrees for tea", "Tea"},
		{"a word of the title alone", english, "transport", "Transport"},
		{"nothing in common", english, "quantum chromodynamics", ""},
		{"a question in Chinese", chinese, "怎么掷骰子？", "骰子"},
		{"a single character", chinese, "茶", "泡茶"},
		{"a single character inside a longer run", chinese, "烤", "面包"},
		{"nothing in common in Chinese", chinese, "量子色动力学", ""},
		{"a language with a sign", languages, "C#", "Sharp"},
		{"of two that are as good, the first", languages, "the service", "Sharp"},
		{"another one", languages, "c++", "Plus"},
		{"a part of an identifier", languages, "get name", "Camel"},
		{"an identifier in another spelling", languages, "setUserName", "Snake"},
		{"a passage without a word", "…: ---", "word 词", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for _, hit := range corpus(test.corpus).Search(test.query, 1) {
				got += hit.Title
			}
			if got != test.want {
				t.Errorf("%q gives %q, want %q", test.query, got, test.want)
			}
		})
	}
}

func TestScoresAreThoseOfBM25(t *testing.T) {
	// Three passages of 2, 2 and 8 words, 4 on average. "apple" stands in the second once and in the third twice, so its
	// rarity is ln(1+(3-2+0.5)/(2+0.5)) = ln 1.6, and the scores are that times 1/(1+1.2·(0.25+0.75·2/4)) and times
	// 2/(2+1.2·(0.25+0.75·8/4)).
	got := ""
	for _, hit := range corpus(": plum cake\n: apple pie\n: an apple, and one more apple for her").Search("Apple zebra", 10) {
		got += fmt.Sprintf("%s %.6f\n", hit.Text, hit.score)
	}
	if want := "apple pie 0.268574\nan apple, and one more apple for her 0.229270\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPassages(t *testing.T) {
	fill := func(n int, text string) string { return strings.Repeat(text, n/utf8.RuneCountInString(text)+1) }
	tests := []struct {
		name string
		text string
		ends string // of the first passage
		next string // beginning of the second; "": there is none
	}{
		{"nothing has no passages", " \n\n\t ", "", ""},
		{"a short text is one passage", "One.\n\nTwo.", "Two.", ""},
		{"at the last paragraph that fits", fill(600, "word ") + "\n\nSecond.\n" + fill(600, "more "), "word", "Second."},
		{"before a heading, though a paragraph follows it",
			fill(500, "word ") + "\n## Heading\n\nText.\n" + fill(600, "more "), "word", "## Heading\n\nText."},
		{"after a sentence", fill(600, "word ") + "end. Next " + fill(600, "more "), "end.", "Next"},
		{"after a Chinese sentence", fill(600, "文字") + "结束。下一句" + fill(600, "更多"), "结束。", "下一句"},
		{"in the middle of a line without an end", strings.Repeat("長", 801), "長", "長"},
		{"not at a paragraph in the first half", "Title\n\n" + fill(700, "word ") + "end. Next " + fill(300, "more "), "end.", "Next"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := append(passages(test.text), "", "")
			if !strings.HasSuffix(found[0], test.ends) || !strings.HasPrefix(found[1], test.next) || (found[1] == "") != (test.next == "") {
				t.Errorf("got %q, want the first to end with %q and the second to begin with %q", found, test.ends, test.next)
			}
			squeeze := strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace
			if got := strings.Join(found, ""); squeeze(got) != squeeze(test.text) || utf8.RuneCountInString(found[0]) > 800 {
				t.Errorf("the passages are not the text: %q", found)
			}
		})
	}
}
