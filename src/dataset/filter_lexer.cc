#include "dataset/filter_lexer.h"

#include <arrow/util/macros.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "pennon/base/error.h"

namespace pennon {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '$' || c == '#' || c == '@'; }
bool IsOperator(char c) {
  return std::string_view("+-*/<>=~!@#%^&|?:").find(c) != std::string_view::npos;
}

std::string LowerAscii(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Splits text into tokens; `emitted` is left for the second pass, except for literals that
/// PostgreSQL spells differently.
class Splitter {
 public:
  Splitter(std::string_view text, std::vector<SqlToken>* tokens) : text_(text), tokens_(*tokens) {}

  arrow::Status Run() {
    while (true) {
      ARROW_RETURN_NOT_OK(SkipSpaceAndComments());
      if (position_ == text_.size()) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(One());
    }
  }

 private:
  char At(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  arrow::Status Unterminated(size_t begin, std::string_view what) const {
    return FilterError(text_, {begin, text_.size()},
                       fmt::format("{} is not closed, it begins", what));
  }

  void Push(SqlTokenKind kind, size_t begin, std::string emitted, std::string name = {}) {
    tokens_.push_back({kind, {begin, position_}, std::move(name), std::move(emitted), 0});
  }

  arrow::Status SkipSpaceAndComments() {
    while (position_ < text_.size()) {
      if (IsSpace(text_[position_])) {
        ++position_;
      } else if (text_[position_] == '-' && At(position_ + 1) == '-') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (text_[position_] == '/' && At(position_ + 1) == '*') {
        const size_t begin = position_;
        size_t depth = 0;
        do {
          if (position_ >= text_.size()) return Unterminated(begin, "comment");
          if (text_[position_] == '/' && At(position_ + 1) == '*') {
            ++depth;
            position_ += 2;
          } else if (text_[position_] == '*' && At(position_ + 1) == '/') {
            --depth;
            position_ += 2;
          } else {
            ++position_;
          }
        } while (depth > 0);
      } else {
        break;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status One() {
    const size_t begin = position_;
    const char c = text_[begin];
    if (c == '\'') return Quoted('\'', SqlTokenKind::kText, "text");
    if (c == '"') return Quoted('"', SqlTokenKind::kText, "text");
    if (c == '`') return Quoted('`', SqlTokenKind::kName, "name");
    if (At(begin + 1) == '\'') {
      if (c == 'x' || c == 'X') return Prefixed(1, SqlTokenKind::kBytes, false);
      if (c == 'e' || c == 'E') return Prefixed(1, SqlTokenKind::kText, true);
      if (c == 'n' || c == 'N' || c == 'b' || c == 'B')
        return Prefixed(1, SqlTokenKind::kText, false);
    }
    if ((c == 'u' || c == 'U') && At(begin + 1) == '&' && At(begin + 2) == '\'') {
      return Prefixed(2, SqlTokenKind::kText, false);
    }
    if (c == '$') return Dollar();
    if (IsDigit(c) || (c == '.' && IsDigit(At(begin + 1)))) return Number();
    if (IsWordStart(c)) {
      while (IsWordPart(At(position_)) && position_ < text_.size()) ++position_;
      const std::string_view word = text_.substr(begin, position_ - begin);
      Push(SqlTokenKind::kWord, begin, std::string(word), LowerAscii(word));
      return arrow::Status::OK();
    }
    if (c == ':' && At(begin + 1) == ':') {
      position_ += 2;
      Push(SqlTokenKind::kPunctuation, begin, "::");
      return arrow::Status::OK();
    }
    if (std::string_view("()[],.;").find(c) != std::string_view::npos) {
      ++position_;
      Push(SqlTokenKind::kPunctuation, begin, std::string(1, c));
      return arrow::Status::OK();
    }
    if (IsOperator(c)) return Operator();
    ++position_;
    return FilterError(text_, {begin, position_}, "unexpected character");
  }

  /// Reads a literal whose quote is doubled to stand for itself, and spells it PostgreSQL's way.
  arrow::Status Quoted(char quote, SqlTokenKind kind, std::string_view what) {
    const size_t begin = position_++;
    std::string value;
    while (true) {
      if (position_ >= text_.size()) return Unterminated(begin, what);
      const char c = text_[position_++];
      if (c == quote) {
        if (At(position_) != quote || position_ >= text_.size()) break;
        ++position_;
      }
      value += c;
    }
    if (kind == SqlTokenKind::kName) {
      if (value.empty()) return FilterError(text_, {begin, position_}, "empty name");
      Push(kind, begin, "", std::move(value));
      return arrow::Status::OK();
    }
    std::string emitted = "'";
    for (char c : value) emitted.append(c == '\'' ? 2 : 1, c);
    emitted += '\'';
    // Only text in double quotes keeps its value: behind a dot it turns out to be a name.
    Push(kind, begin, std::move(emitted), quote == '"' ? std::move(value) : std::string());
    return arrow::Status::OK();
  }

  arrow::Status Prefixed(size_t prefix_bytes, SqlTokenKind kind, bool has_backslashes) {
    const size_t begin = position_;
    position_ += prefix_bytes + 1;
    while (true) {
      if (position_ >= text_.size()) return Unterminated(begin, "text");
      const char c = text_[position_++];
      if (has_backslashes && c == '\\') {
        if (position_ >= text_.size()) return Unterminated(begin, "text");
        ++position_;
      } else if (c == '\'') {
        if (At(position_) != '\'' || position_ >= text_.size()) break;
        ++position_;
      }
    }
    Push(kind, begin, std::string(text_.substr(begin, position_ - begin)));
    return arrow::Status::OK();
  }

  /// $tag$ .. $tag$
  arrow::Status Dollar() {
    const size_t begin = position_++;
    while (IsWordStart(At(position_)) || IsDigit(At(position_))) ++position_;
    if (At(position_) != '$') return FilterError(text_, {begin, position_}, "unexpected character");
    ++position_;
    const std::string_view tag = text_.substr(begin, position_ - begin);
    const size_t close = text_.find(tag, position_);
    if (close == std::string_view::npos) return Unterminated(begin, "text");
    position_ = close + tag.size();
    Push(SqlTokenKind::kText, begin, std::string(text_.substr(begin, position_ - begin)));
    return arrow::Status::OK();
  }

  arrow::Status Number() {
    const size_t begin = position_;
    const auto skip_digits = [&] {  // 1_000 is 1000
      while (IsDigit(At(position_)) ||
             (At(position_) == '_' && IsDigit(At(position_ + 1)) && position_ > begin))
        ++position_;
    };
    skip_digits();
    if (At(position_) == '.' && !(At(position_ + 1) == '.')) {
      ++position_;
      skip_digits();
    }
    if (At(position_) == 'e' || At(position_) == 'E') {
      const size_t sign = At(position_ + 1) == '+' || At(position_ + 1) == '-' ? 1 : 0;
      if (IsDigit(At(position_ + 1 + sign))) {
        position_ += 1 + sign;
        while (IsDigit(At(position_))) ++position_;
      }
    }
    if (position_ < text_.size() && IsWordPart(text_[position_])) {
      while (position_ < text_.size() && IsWordPart(text_[position_])) ++position_;
      return FilterError(text_, {begin, position_}, "malformed number");
    }
    std::string digits(text_.substr(begin, position_ - begin));
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    Push(SqlTokenKind::kNumber, begin, std::move(digits));
    return arrow::Status::OK();
  }

  arrow::Status Operator() {
    const size_t begin = position_;
    // A sign at the end belongs to the operand behind ("a =-1"), as in most dialects; a comment
    // ends the run.
    const auto begins_comment = [&](size_t at) {
      return (At(at) == '-' && At(at + 1) == '-') || (At(at) == '/' && At(at + 1) == '*');
    };
    ++position_;
    while (position_ < text_.size() && IsOperator(text_[position_]) && !begins_comment(position_) &&
           text_[position_] != '+' && text_[position_] != '-' && text_[begin] != '+' &&
           text_[begin] != '-') {
      ++position_;
    }
    std::string op(text_.substr(begin, position_ - begin));
    if (op == "==") op = "=";
    Push(SqlTokenKind::kOperator, begin, std::move(op));
    return arrow::Status::OK();
  }

  std::string_view text_;
  std::vector<SqlToken>& tokens_;
  size_t position_ = 0;
};

/// Words that begin an operand, or stand between operands, and so are never columns unless in
/// backticks.
bool IsOperandKeyword(std::string_view word) {
  return IsOneOf(word, {"not", "case", "null", "true", "false", "select", "current_date",
                        "current_time", "localtime", "localtimestamp", "distinct", "all", "both",
                        "leading", "trailing", "current_timestamp"});
}
bool IsInfixKeyword(std::string_view word) {
  return IsOneOf(word,
                 {"and", "or", "like", "ilike", "between", "escape", "in", "when", "then", "else",
                  "case", "from", "placing", "symmetric", "to", "for", "similar", "zone"});
}

/// Decides for each word whether it is a name, and keeps count of the depth.
class Rewriter {
 public:
  Rewriter(std::string_view text, std::vector<SqlToken>* tokens) : text_(text), tokens_(*tokens) {}

  arrow::Status Run() {
    groups_.emplace_back();
    for (index_ = 0; index_ < tokens_.size(); ++index_) {
      SqlToken& token = tokens_[index_];
      switch (token.kind) {
        case SqlTokenKind::kWord:
          ARROW_RETURN_NOT_OK(Word(token));
          break;
        case SqlTokenKind::kName:
          // A quoted name in front of a parenthesis is a function's.
          token.emitted =
              IsPunctuation(index_ + 1, '(') ? QuoteName(LowerAscii(token.name)) : PlaceHolder();
          wants_operand_ = false;
          break;
        case SqlTokenKind::kText:
          if (index_ > 0 && IsPunctuation(index_ - 1, '.') && text_[token.place.begin] == '"') {
            token.kind = SqlTokenKind::kName;
            token.emitted = PlaceHolder();
          }
          wants_operand_ = false;
          break;
        case SqlTokenKind::kBytes:
        case SqlTokenKind::kNumber:
          wants_operand_ = false;
          break;
        case SqlTokenKind::kOperator:
          ARROW_RETURN_NOT_OK(Deepen());
          wants_operand_ = true;
          break;
        case SqlTokenKind::kPunctuation:
          ARROW_RETURN_NOT_OK(Punctuation(token));
          break;
      }
    }
    if (groups_.size() > 1) {
      const SqlPlace open = tokens_[groups_.back().open].place;
      return FilterError(text_, open,
                         fmt::format("\"{}\" is not closed, it stands", groups_.back().what));
    }
    return arrow::Status::OK();
  }

 private:
  struct Group {
    size_t open = 0;  ///< Token that opened it.
    size_t callee =
        kNone;  ///< Token where a call or array literal begins, if it can be subscripted.
    const char* what = "";   ///< ( [ or case.
    size_t operators = 0;    ///< In the present segment.
    size_t child_depth = 0;  ///< Deepest group in the present segment.
    size_t depth = 0;        ///< Deepest segment so far.
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);

  bool IsPunctuation(size_t index, char c) const {
    return index < tokens_.size() && tokens_[index].kind == SqlTokenKind::kPunctuation &&
           text_[tokens_[index].place.begin] == c;
  }
  bool IsWord(size_t index, std::string_view word) const {
    return index < tokens_.size() && tokens_[index].kind == SqlTokenKind::kWord &&
           tokens_[index].name == word;
  }
  static std::string QuoteName(std::string_view name) {
    std::string quoted = "\"";
    for (char c : name) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
  }
  std::string PlaceHolder() const { return fmt::format("\"#{}\"", index_); }

  arrow::Status Deepen() {
    ++groups_.back().operators;
    ++open_operators_;
    return CheckDepth();
  }
  /// A path from the root crosses the open groups, the operators of their present segments, and one
  /// closed group.
  arrow::Status CheckDepth() const {
    if (groups_.size() + open_operators_ + groups_.back().child_depth > kFilterDepthMax) {
      return FilterError(text_, tokens_[index_].place,
                         fmt::format("expression is more than {} levels deep", kFilterDepthMax));
    }
    return arrow::Status::OK();
  }
  void EndSegment() {
    Group& group = groups_.back();
    group.depth = std::max(group.depth, group.operators + group.child_depth);
    open_operators_ -= group.operators;
    group.operators = 0;
    group.child_depth = 0;
  }
  arrow::Status Open(const char* what, size_t callee) {
    ARROW_RETURN_NOT_OK(Deepen());
    groups_.push_back({index_, callee, what, 0, 0, 0});
    wants_operand_ = true;
    return arrow::Status::OK();
  }
  arrow::Status Close(std::string_view what) {
    if (groups_.size() == 1 || groups_.back().what != what) {
      return FilterError(text_, tokens_[index_].place,
                         fmt::format("nothing to close (\"{}\")", what));
    }
    EndSegment();
    const Group closed = groups_.back();
    groups_.pop_back();
    groups_.back().child_depth = std::max(groups_.back().child_depth, closed.depth + 1);
    closed_callee_ = closed.callee;
    closed_at_ = index_;
    wants_operand_ = false;
    return CheckDepth();
  }

  /// PostgreSQL wants parentheses around a call or array literal that is subscripted.
  void WrapClosedCall() {
    if (index_ == 0 || closed_at_ != index_ - 1 || closed_callee_ == kNone) return;
    tokens_[closed_callee_].emitted.insert(0, "(");
    tokens_[closed_at_].emitted += ")";
    closed_at_ = kNone;
  }

  arrow::Status Punctuation(SqlToken& token) {
    switch (text_[token.place.begin]) {
      case '(': {
        const bool is_call = index_ > 0 &&
                             (tokens_[index_ - 1].kind == SqlTokenKind::kWord ||
                              tokens_[index_ - 1].kind == SqlTokenKind::kName) &&
                             !IsInfixKeyword(tokens_[index_ - 1].name) &&
                             !IsOperandKeyword(tokens_[index_ - 1].name);
        return Open("(", is_call ? index_ - 1 : kNone);
      }
      case ')':
        return Close("(");
      case '[': {
        if (IsWord(index_ - 1, "array") && index_ > 0) return Open("[", index_ - 1);
        if (wants_operand_) {
          token.emitted = "ARRAY[";
          return Open("[", index_);
        }
        WrapClosedCall();
        return Open("[", kNone);
      }
      case ']':
        return Close("[");
      case ',':
        EndSegment();
        wants_operand_ = true;
        return arrow::Status::OK();
      case '.':
        WrapClosedCall();
        return Deepen();
      case ':':
        return Deepen();
      default:
        wants_operand_ = true;
        return arrow::Status::OK();
    }
  }

  void MakeName(SqlToken& token) {
    token.kind = SqlTokenKind::kName;
    token.name = std::string(text_.substr(token.place.begin, token.place.end - token.place.begin));
    token.emitted = PlaceHolder();
    wants_operand_ = false;
  }

  arrow::Status Word(SqlToken& token) {
    const std::string& word = token.name;
    if (index_ > 0 && IsPunctuation(index_ - 1, '.')) {
      MakeName(token);
      return arrow::Status::OK();
    }
    if (!wants_operand_) return WordBehindOperand(token);
    if (word == "case") return Open("case", kNone);
    if (IsOneOf(word, {"not", "distinct", "all", "both", "leading", "trailing"})) return Deepen();
    if (IsOperandKeyword(word)) {
      wants_operand_ = word == "select";
      if (IsPunctuation(index_ + 1, '(') && IsPunctuation(index_ + 2, ')')) {  // current_date()
        tokens_[index_ + 1].emitted.clear();
        tokens_[index_ + 2].emitted.clear();
        index_ += 2;
      }
      return arrow::Status::OK();
    }
    if (IsPunctuation(index_ + 1, '(')) {
      if (word == "try_cast") token.emitted = "cast";
      return arrow::Status::OK();
    }
    if (word == "float" && index_ + 1 < tokens_.size() &&
        tokens_[index_ + 1].kind == SqlTokenKind::kText) {
      token.emitted = "\"float\"";
    }
    const bool is_literal_type =
        index_ + 1 < tokens_.size() && tokens_[index_ + 1].kind == SqlTokenKind::kText;
    const bool is_array = word == "array" && IsPunctuation(index_ + 1, '[');
    const bool is_long_type = (IsOneOf(word, {"timestamp", "time"}) &&
                               (IsWord(index_ + 1, "with") || IsWord(index_ + 1, "without"))) ||
                              (word == "double" && IsWord(index_ + 1, "precision"));
    if (is_literal_type || is_array || is_long_type) {
      wants_operand_ = false;
      return arrow::Status::OK();
    }
    // "else" and "end" without an operand in front are mistakes that the grammar words best.
    if (groups_.back().what == std::string_view("case") && IsOneOf(word, {"when", "else", "end"})) {
      return WordBehindOperand(token);
    }
    MakeName(token);
    return arrow::Status::OK();
  }

  arrow::Status WordBehindOperand(SqlToken& token) {
    const std::string& word = token.name;
    if (word == "end" && groups_.back().what == std::string_view("case")) return Close("case");
    if (IsOneOf(word, {"tinyint", "smallint", "int", "integer", "bigint"}) &&
        IsWord(index_ + 1, "unsigned")) {
      token.emitted = fmt::format("\"{} unsigned\"", word);
      tokens_[index_ + 1].emitted.clear();
      ++index_;
      return arrow::Status::OK();
    }
    // To PostgreSQL's grammar it is the same as double precision.
    if (word == "float" && !IsPunctuation(index_ + 1, '(')) token.emitted = "\"float\"";
    if (IsOneOf(word, {"and", "or", "when", "then", "else"})) {
      EndSegment();
      wants_operand_ = true;
      return arrow::Status::OK();
    }
    if (IsInfixKeyword(word)) wants_operand_ = true;
    return IsOneOf(word, {"not", "is", "in", "like", "ilike", "between", "similar", "isnull",
                          "notnull", "collate", "at"})
               ? Deepen()
               : arrow::Status::OK();
  }

  std::string_view text_;
  std::vector<SqlToken>& tokens_;
  std::vector<Group> groups_;
  size_t open_operators_ = 0;  ///< Sum of `operators` over `groups_`.
  size_t index_ = 0;
  bool wants_operand_ = true;
  size_t closed_callee_ = kNone;
  size_t closed_at_ = kNone;
};

}  // namespace

size_t RewrittenFilter::TokenAt(size_t sql_offset) const {
  const auto after = std::upper_bound(
      tokens.begin(), tokens.end(), sql_offset,
      [](size_t offset, const SqlToken& token) { return offset < token.emitted_begin; });
  if (after == tokens.begin()) return 0;
  const auto token = after - 1;
  if (after == tokens.end() && sql_offset >= token->emitted_begin + token->emitted.size())
    return tokens.size();
  return static_cast<size_t>(token - tokens.begin());
}

const std::string* RewrittenFilter::NameOf(std::string_view placeholder) const {
  size_t index = 0;
  if (placeholder.size() < 2 || placeholder[0] != '#') return nullptr;
  const char* end = placeholder.data() + placeholder.size();
  const auto [stop, error] = std::from_chars(placeholder.data() + 1, end, index);
  if (error != std::errc() || stop != end || index >= tokens.size()) return nullptr;
  return tokens[index].kind == SqlTokenKind::kName ? &tokens[index].name : nullptr;
}

arrow::Result<RewrittenFilter> RewriteFilter(std::string_view text) {
  if (text.size() > kFilterBytesMax) {
    return MakeError(ErrorKind::kTooLarge, fmt::format("filter is too long: {} bytes, at most {}",
                                                       text.size(), kFilterBytesMax));
  }
  if (const size_t bad = FindInvalidUtf8(text); bad != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument,
                     fmt::format("filter is not valid UTF-8 at byte {}", bad));
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return MakeError(ErrorKind::kInvalidArgument, fmt::format("filter has a NUL at byte {}", nul));
  }
  RewrittenFilter result;
  ARROW_RETURN_NOT_OK(Splitter(text, &result.tokens).Run());
  if (result.tokens.size() > 1 && result.tokens.back().emitted == ";") result.tokens.pop_back();
  ARROW_RETURN_NOT_OK(Rewriter(text, &result.tokens).Run());
  // The parentheses hold the text together: what is no single expression is a syntax error.
  result.sql = "SELECT 1 WHERE (";
  for (SqlToken& token : result.tokens) {
    token.emitted_begin = result.sql.size();
    result.sql += token.emitted;
    result.sql += ' ';
  }
  result.sql += ')';
  return result;
}

}  // namespace pennon
