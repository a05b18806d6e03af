package main

import (
	"cmp"
	"regexp"
	"strings"
)

// stopWords say nothing about which tool is meant.
var stopWords = set(`a an the this that these those it its and or but not no of in on at to for from with by as is are
was be do does did done make made can could will would shall should please i me my you your we us our what which who how
when where why give get let want need now once some any all every use using call tell tool called named here there about if up out`)

// meaning puts one word for all that mean the same, in tasks and in tools.
var meaning = map[string]string{
	"list": "ls", "die": "dice", "directory": "folder", "edit": "change", "modify": "change", "download": "fetch",
	"clock": "time", "date": "time", "today": "time", "sum": "add", "plus": "add", "letter": "character",
	"execute": "run", "store": "save", "remember": "save", "show": "read", "open": "read", "grep": "search",
	"cat": "read", "ask": "search", "create": "write", "review": "diff", "changes": "diff", "changed": "diff",
}

// dictionary has Chinese words, each before its English. Of two that begin
// alike the longer one comes first.
const dictionary = `掷 roll 骰子 dice 统计 count 字符 character 字数 word_character 词 word 时间 time 几点 time 日期 date
读取 read 读 read 打开 open 写入 write 写 write 文件 file 目录 folder 列出 list 搜索 search 查找 find 查询 look_up 记录 record
知识库 knowledge_base 天气 weather 保存 save 笔记 note 加 add 求和 add 运行 run 执行 run 命令 command 网页 page 抓取 fetch
下载 fetch 替换 replace 修改 change 差异 diff 崩溃 crash 服务器 server`

var (
	inEnglish, chinese = readDictionary()
	// word finds the words of a text or of a name, in snake, kebab or camel case.
	word = regexp.MustCompile(`\p{Lu}*[\p{Ll}\d]+|\p{Lu}+`)
)

// readDictionary gives what translates, with spaces around the English as Chinese
// has none between words, and a pattern for all that can be translated.
func readDictionary() (*strings.Replacer, string) {
	entries := strings.Fields(dictionary)
	var chinese []string
	for i := 0; i < len(entries); i += 2 {
		chinese = append(chinese, entries[i])
		entries[i+1] = " " + entries[i+1] + " "
	}
	return strings.NewReplacer(entries...), strings.Join(chinese, "|")
}

// words gives what a text speaks of: its words in English, in lower case and in
// the singular, one word for each meaning, without stop words.
func words(text string) []string {
	var list []string
	for _, w := range word.FindAllString(inEnglish.Replace(text), -1) {
		if w = strings.ToLower(w); stopWords[w] {
			continue
		}
		single := w
		if len(w) > 3 {
			single = strings.TrimSuffix(w, "s")
		}
		list = append(list, cmp.Or(meaning[w], meaning[single], single))
	}
	return list
}

// set makes a set of the words in a text.
func set(text string) map[string]bool {
	members := map[string]bool{}
	for _, w := range strings.Fields(text) {
		members[w] = true
	}
	return members
}
