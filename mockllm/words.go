package main

import (
	"strings"
	"unicode"
)

// stopWords say nothing about which tool is meant.
var stopWords = set(`a an the this that these those it its and or but not no of in on at to for from with by as is are
was be do does did done make made can could would will shall should please i me my you your we us our what which who how
when where why give get let want need now once some any all every use using call tool mcp called named here there about if up out`)

// alsoMeans adds to a word of a step the words that tools have for it.
var alsoMeans = map[string]string{
	"list": "ls", "die": "dice", "dice": "die", "folder": "directory", "directory": "folder", "edit": "patch",
	"replace": "patch", "download": "fetch", "clock": "time", "date": "time", "sum": "add", "plus": "add",
	"letter": "character", "run": "shell", "execute": "run shell", "store": "save", "remember": "save", "show": "read",
	"open": "read", "change": "patch", "today": "date time", "ask": "search",
}

// inEnglish is the dictionary for steps and descriptions in Chinese, which has
// no spaces between words: each entry that occurs in a text counts.
var inEnglish = []struct{ chinese, english string }{
	{"掷", "roll"}, {"骰子", "dice die"}, {"统计", "count"}, {"字符", "character"}, {"词", "word"}, {"字数", "word character"},
	{"时间", "time"}, {"几点", "time"}, {"日期", "date time"}, {"读", "read"}, {"打开", "open read"}, {"写", "write"},
	{"文件", "file"}, {"目录", "directory folder ls"}, {"列出", "list ls"}, {"搜索", "search"}, {"查找", "find search lookup"},
	{"查询", "query"}, {"记录", "record"}, {"知识库", "knowledge rag"}, {"天气", "weather"}, {"保存", "save"},
	{"笔记", "note"}, {"加", "add sum"}, {"求和", "add sum"}, {"运行", "run shell"}, {"执行", "run shell"}, {"命令", "command shell"},
	{"网页", "url page fetch"}, {"抓取", "fetch"}, {"下载", "fetch download"}, {"替换", "replace patch"}, {"修改", "patch edit"},
	{"差异", "diff"}, {"崩溃", "crash"}, {"服务器", "server"},
}

// set makes a set of the words in a text.
func set(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(text) {
		words[w] = true
	}
	return words
}

// tokens splits a text or a name (in snake, kebab or camel case) into its words,
// lower case and in the singular. Chinese characters are left out.
func tokens(text string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, singular(strings.ToLower(string(word))))
		}
		word = word[:0]
	}
	for _, r := range text {
		isWord := (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
		if !isWord || unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]) {
			flush()
		}
		if isWord {
			word = append(word, r)
		}
	}
	flush()
	return list
}

// singular takes a simple plural ending off an English word.
func singular(word string) string {
	for _, ending := range [][2]string{{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"xes", "x"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}} {
		if stem, found := strings.CutSuffix(word, ending[0]); found && len(word) > 3 {
			return stem + ending[1]
		}
	}
	return word
}

// concepts gives what a step speaks of, each thing once, as the words that
// stand for it. Two neighbours count as one word too: "look up" is lookup.
func concepts(step string) [][]string {
	var found [][]string
	seen := map[string]bool{}
	add := func(words ...string) {
		if !stopWords[words[0]] && !seen[words[0]] {
			seen[words[0]] = true
			found = append(found, words)
		}
	}
	before := ""
	for _, word := range tokens(step) {
		add(append([]string{word}, strings.Fields(alsoMeans[word])...)...)
		if before != "" {
			add(before + word)
		}
		before = word
	}
	for _, entry := range inEnglish {
		if strings.Contains(step, entry.chinese) {
			add(strings.Fields(entry.english)...)
		}
	}
	return found
}

// vocabulary gives the words of a tool's description or name, as a set.
func vocabulary(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range tokens(text) {
		words[word] = true
	}
	for _, entry := range inEnglish {
		if strings.Contains(text, entry.chinese) {
			for _, word := range strings.Fields(entry.english) {
				words[word] = true
			}
		}
	}
	return words
}
