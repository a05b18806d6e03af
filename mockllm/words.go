package main

import (
	"cmp"
	"regexp"
	"strings"
)

const (
	// quotes match what stands in quotes. A backslash keeps a double quote from
	// closing, and the apostrophe in a word is no mark.
	quotes = `"(?:[^"\\]|\\.)*"|\B'.*?'\B|` + "`[^`]*`" + `|“[^”]*”|‘.*?’\B|「[^」]*」|『[^』]*』|《[^》]*》`
	// paths match web addresses, README.md, day14/chat.go, *.go and .env. A web
	// address ends at white space or at what closes a clause.
	webAddress = `\bhttps?://[^\s"'<>，。；、）」]+`
	paths      = webAddress + `|[\w.~*-]*/[\w.~*/-]*|[\w*-][\w.*-]*\.[A-Za-z]\w{0,7}\b|\B\.[A-Za-z]\w*`
	// then stands between steps that come one after the other, sameTime between
	// those that may be done together.
	then     = `[\s,.]*\b(?:and\s+)?then(?:[\s,:]+|$)|[;；]|[，。\s]*(?:然后|接着|再)[，：\s]*`
	sameTime = `[\s,]*\b(?:and\s+)?at the same time(?:[\s,:]+|$)|[，\s]*(?:并且|并)?同时[，\s]*`
)

var (
	separator = regexp.MustCompile(`(?i)` + quotes + `|` + webAddress + `|(` + then + `)|(` + sameTime + `)`)
	// material is what a tool is to work on: it says nothing about which tool.
	material = regexp.MustCompile(`(?i)` + quotes + `|` + paths)
	// word finds the words of a text or of a name, in snake, kebab or camel case.
	word = regexp.MustCompile(`\p{Lu}*[\p{Ll}\d]+|\p{Lu}+`)
)

// step is one thing to do. It may be done together with the one before it.
type step struct {
	text     string
	together bool
}

// cutSteps cuts a task into its steps, of which there is at least one.
func cutSteps(task string) []step {
	var steps []step
	start, together := 0, false
	add := func(end int) {
		if text := strings.Trim(task[start:end], " \t\r\n,，、"); text != "" {
			steps = append(steps, step{text, together})
		}
	}
	for _, at := range separator.FindAllStringSubmatchIndex(task, -1) {
		if isThen, isTogether := at[2] >= 0, at[4] >= 0; isThen || isTogether {
			add(at[0])
			start, together = at[1], isTogether
		}
	}
	if add(len(task)); steps == nil {
		return []step{{}}
	}
	return steps
}

var (
	// stopWords say nothing about which tool is meant.
	stopWords = table(`a an the this that these those it its and or but not no of in on at to for from with by as is are
		was be do does did done make made can could will would shall should please i me my you your we us our what which who how
		when where why give get let want need now once some any all every use using call tell tool called named here there if up out s t`)
	// meaning has one word for all that mean the same, in tasks and in tools.
	meaning = table(`list=ls ls=ls die=dice directory=folder edit=change modify=change download=fetch clock=time date=time today=time
		sum=add plus=add letter=character execute=run store=save remember=save show=read open=read cat=read grep=search ask=search about=search
		create=write review=diff changes=diff changed=diff`)
	inEnglish  = strings.NewReplacer(strings.Split(dictionary, ",")...)
	trimPhrase = trimmer(nil)
	chinese    = strings.Join(regexp.MustCompile(`\p{Han}+`).FindAllString(dictionary, -1), "|")
)

// dictionary has Chinese words, each before its English, with spaces as Chinese
// has none between words. Of two that begin alike the longer one comes first.
const dictionary = "掷, roll ,骰子, dice ,统计, count ,字符数, character ,字符, character ,字数, word character ,字, character ,词数, word ,词, word ," +
	"时间, time ,几点, time ,日期, date ,读取, read ,读, read ,打开, open ,写入, write ,写, write ,文件, file ,目录, folder ,列出, list ," +
	"搜索, search ,查找, find ,查询, look up ,记录, record ,知识库, knowledge base ,天气, weather ,保存, save ,笔记, note ,加, add ," +
	"求和, add ,运行, run ,执行, run ,命令, command ,网页, page ,抓取, fetch ,下载, fetch ,替换, replace ,修改, change ,差异, diff ," +
	"崩溃, crash ,服务器, server ,关于, about "

// table reads words, some with what they mean; else a word means itself.
func table(text string) map[string]string {
	words := map[string]string{}
	for _, entry := range strings.Fields(text) {
		word, meaning, _ := strings.Cut(entry, "=")
		words[word] = cmp.Or(meaning, word)
	}
	return words
}

// words gives what a text speaks of: its words in English, in lower case and in
// the singular, one word for each meaning, without stop words.
func words(text string) []string {
	var list []string
	for _, w := range word.FindAllString(inEnglish.Replace(text), -1) {
		if w = strings.ToLower(w); stopWords[w] != "" {
			continue
		}
		single := strings.TrimSuffix(w, "s")
		list = append(list, cmp.Or(meaning[w], meaning[single], single))
	}
	return list
}

const (
	// fillers say nothing at the beginning of a phrase or of a step.
	fillers = `please|can|could|you|the|an?|me|for|to|my|following|current|phrase|text|string|file|word|line|folder|` +
		`directory|project|repository|workspace|root|working|show|open|list|execute|grep|download`
	// edges say nothing at either end.
	edges = `[\s,，?？!！。:：]|请|帮我|把|一下|一个|今天|现在|怎么样|如何|的|吗|吧|`
)

// trimmer finds, as its first group, what a text is about: the text less fillers and
// known words at its beginning, edges and words of the dictionary at both ends.
func trimmer(known []string) *regexp.Regexp {
	before := `(?:` + strings.Join(append(known, fillers), "|") + `)s?(?:[\s:]+|$)|`
	around := edges + `[和与、]?(?:` + chinese + `)`
	return regexp.MustCompile(`(?is)^(?:` + before + around + `)*(.*?)(?:\b\.|` + around + `)*$`)
}
