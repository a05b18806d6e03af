package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"words in lower case, without punctuation", "Hello, World! It's 2 o'clock.", "hello world it s 2 o clock"},
		{"identifiers and paths fall apart at their signs", "rag_add internal/foo.go --no-ext", "rag add internal foo go no ext"},
		{"letters and digits stay together", "utf8 x86", "utf8 x86"},
		{"accents, composed or not", "Café Cafe\u0301", "café cafe\u0301"},
		{"other alphabets", "Привет ΚΌΣΜΕ नमस्ते", "привет κόσμε नमस्ते"},
		{"Chinese as pairs of neighbours", "掷骰子", "掷骰 骰子"},
		{"two characters are one pair", "协议", "协议"},
		{"a character alone", "茶", "茶"},
		{"punctuation ends a run", "喝茶，看书。", "喝茶 看书"},
		{"Chinese and English without a space", "用MCP协议v2吧", "用 mcp 协议 v2 吧"},
		{"Japanese and Korean", "サーバー 도구들", "サー ーバ バー 도구 구들"},
		{"nothing", " \n\t…!", ""},
		{"bytes that are no UTF-8 separate words", "a\xffb", "a b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(tokens(test.text), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// corpus makes passages out of "Title: text" lines.
func corpus(text string) (passages []Hit) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		title, text, _ := strings.Cut(line, ": ")
		passages = append(passages, Hit{Title: strings.TrimSpace(title), Passage: 1, Text: strings.TrimSpace(text)})
	}
	return passages
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
	传输: 服务器是一个子进程，协议的每条消息是标准输入上的一行文本。
	泡茶: 绿茶用八十度的水泡两分钟，头采的茶最好。
	面包: 面包在两百度的烤箱里烤四十分钟，直到外皮变成棕色。`

func TestSearchFindsThePassageThatIsMeant(t *testing.T) {
	tests := []struct{ name, corpus, query, want string }{
		{"a question in whole words", english, "How do I roll a die?", "Dice"},
		{"a rare word counts more than frequent ones", english, "what does the tool say of the wind in the city", "Weather"},
		{"upper case", english, "GEEKAGENT.JSON", "Permissions"},
		{"a word that stands there twice, in a short passage", english, "degrees for tea", "Tea"},
		{"the word that tells two passages apart", english, "how many degrees and minutes does bread need", "Bread"},
		{"a word of the title alone", english, "transport", "Transport"},
		{"nothing in common", english, "quantum chromodynamics", ""},
		{"an empty query", english, "", ""},
		{"a question in Chinese", chinese, "怎么掷骰子？", "骰子"},
		{"Chinese words that are cut by other words", chinese, "统计字符数", "字数"},
		{"a single character", chinese, "茶", "泡茶"},
		{"a single character inside a longer run", chinese, "烤", "面包"},
		{"the policy that is the strictest", chinese, "最严格的策略是什么", "权限"},
		{"how a conversation comes back", chinese, "如何恢复上次的对话", "会话"},
		{"nothing in common in Chinese", chinese, "量子色动力学", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hits := newIndex(corpus(test.corpus)).search(test.query, 1)
			got := ""
			if len(hits) > 0 {
				got = hits[0].Title
			}
			if got != test.want {
				t.Errorf("%q gives %q, want %q", test.query, got, test.want)
			}
		})
	}
}

func TestScoresAreThoseOfBM25(t *testing.T) {
	// Three passages of 2, 2 and 8 tokens, 4 on average. "apple" stands in the first once and in the last twice, so its
	// rarity is ln(1+(3-2+0.5)/(2+0.5)) = ln 1.6, and the scores are that times 1·2.2/(1+1.2·(0.25+0.75·2/4)) and times
	// 2·2.2/(2+1.2·(0.25+0.75·8/4)). A word that the query repeats counts once.
	x := newIndex([]Hit{{Text: "apple pie"}, {Text: "plum cake"}, {Text: "an apple, and one more apple for her"}})
	var got []string
	for _, hit := range x.search("Apple zebra apple", 10) {
		got = append(got, fmt.Sprintf("%s %.6f", hit.Text, hit.Score))
	}
	if want := []string{"apple pie 0.590862", "an apple, and one more apple for her 0.504394"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEquallyGoodPassagesKeepTheirOrder(t *testing.T) {
	var passages []Hit
	for i := range 50 {
		passages = append(passages, Hit{Passage: i, Text: "the same words, 同样的词"})
	}
	for range 20 {
		hits := newIndex(passages).search("same 词 words 同样 the", 30)
		for i, hit := range hits {
			if len(hits) != 30 || hit.Passage != i || hit.Score != hits[0].Score {
				t.Fatalf("hit %d of %d is passage %d with score %v", i, len(hits), hit.Passage, hit.Score)
			}
		}
	}
}

func TestAnIndexOfNothingFindsNothing(t *testing.T) {
	for _, passages := range [][]Hit{nil, {{Text: "---"}}} {
		if hits := newIndex(passages).search("word 词", 5); hits != nil {
			t.Errorf("got %v", hits)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("Hello, World! utf8")
	f.Add("用MCP协议v2吧 サーバー")
	f.Add("Cafe\u0301 İ ẞ a\xffb\xe8")
	f.Fuzz(func(t *testing.T, text string) {
		once := tokens(text)
		for _, token := range once {
			if again := tokens(token); len(again) != 1 || again[0] != token {
				t.Errorf("token %q of %q gives %q when it is searched for", token, text, again)
			}
		}
	})
}
