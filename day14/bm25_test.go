package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSearchWords(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World! It's 2 o'clock.":           "hello world it s 2 o clock",
		"Café Cafe\u0301":                         "café cafe\u0301",
		"Привет ΚΌΣΜΕ नमस्ते":                     "привет κόσμε नमस्ते",
		"掷骰子，协议":                                  "掷骰 骰子 协议",
		"用MCP协议v2吧":                               "用 mcp 协议 v2 吧",
		"サーバー 도구들":                                "サー ーバ バー 도구 구들",
		"getUserName user_id HTTPServer __init__": "get user name user id http server init",
		"C# and C++, not c or a#b":                "c# and c++ not c or a# b",
		" \n\t…!_":                                "",
		"a\xffb":                                  "a b",
	} {
		if got := strings.Join(searchWords(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
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
	for text, queries := range map[string]map[string]string{
		english: {
			"what does the tool say of the wind in the city": "Weather", // a rare word counts more than frequent ones
			"degrees for tea":        "Tea",       // which stands there twice, in a short passage
			"transport":              "Transport", // in the title alone
			"quantum chromodynamics": "",
		},
		chinese: {"怎么掷骰子？": "骰子", "茶": "泡茶", "烤": "面包", "量子色动力学": ""},
		languages: {"C#": "Sharp", "c++": "Plus", "get name": "Camel", "setUserName": "Snake",
			"the service": "Sharp"}, // of two that are as good, the first
		"…: ---": {"word 词": ""},
	} {
		for query, want := range queries {
			got := ""
			for _, hit := range corpus(text).Search(query, 1) {
				got += hit.Title
			}
			if got != want {
				t.Errorf("%q gives %q, want %q", query, got, want)
			}
		}
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

// A text is cut where a | stands, and nowhere else. Passages have no white space around them.
func TestPassages(t *testing.T) {
	fill := func(n int, text string) string { return strings.Repeat(text, n/utf8.RuneCountInString(text)+1) }
	for _, text := range []string{
		" \n\n\t ",
		"One.\n\nTwo.",
		fill(600, "word ") + "\n\n|Second.\n" + fill(600, "more "), // at the last paragraph that fits
		fill(500, "word ") + "\n|## Heading\n\nText.\n" + fill(600, "more "),
		fill(600, "word ") + "end. |Next " + fill(600, "more "),
		fill(600, "文字") + "结束。|下一句" + fill(600, "更多"),
		strings.Repeat("長", 800) + "|長",
		"Title\n\n" + fill(700, "word ") + "end. |Next " + fill(300, "more "), // not at a paragraph in the first half
	} {
		want := ""
		for passage := range strings.SplitSeq(text, "|") {
			want += strings.TrimSpace(passage) + "|"
		}
		if got := strings.Join(append(passages(strings.Replace(text, "|", "", 1)), ""), "|"); got != strings.TrimPrefix(want, "|") {
			t.Errorf("got %q\nwant %q", got, want)
		}
	}
}
