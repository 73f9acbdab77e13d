// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The value or values that a rule tests.
enum RuleSubject {
    /// A single value, with its type if it is an enum value.
    case value(RuleValue, EnumSchema?)
    case list([AnyFieldValue])
    case map(count: Int)
    /// The paths of a field mask.
    case paths([String])
}

/// A single rule about a value.
struct RuleTest: Sendable {
    /// The name of the rule without its type prefix.
    let rule: String
    /// A description of the requirement.
    let requirement: String
    /// Returns whether a value satisfies the rule now; nil if the rule does not apply to such a value.
    let holds: @Sendable (RuleSubject, _ now: RuleValue) -> Bool?
}

extension RuleTest {
    /// Creates a rule about single values.
    private static func value(
        _ rule: String, _ requirement: String, holds: @escaping @Sendable (RuleValue) -> Bool
    ) -> RuleTest {
        time(rule, requirement) { value, _ in holds(value) }
    }

    /// Creates a rule about values that depends on the current time.
    private static func time(
        _ rule: String, _ requirement: String, holds: @escaping @Sendable (RuleValue, _ now: RuleValue) -> Bool
    ) -> RuleTest {
        RuleTest(rule: rule, requirement: requirement) { subject, now in
            guard case .value(let value, _) = subject else { return nil }
            return holds(value, now)
        }
    }

    static func constant(_ constant: RuleValue) -> RuleTest {
        value("const", "must equal \(constant)") { $0.equals(constant) }
    }

    static func among(_ values: [RuleValue], isNegated: Bool) -> RuleTest {
        let list = values.map(\.description).joined(separator: ", ")
        return value(isNegated ? "not_in" : "in", "must \(isNegated ? "not " : "")be in list [\(list)]") {
            values.contains(where: $0.equals) != isNegated
        }
    }

    static let finite = value("finite", "must be finite") { value in
        if case .real(let number) = value { number.isFinite } else { true }
    }

    static let definedOnly = RuleTest(rule: "defined_only", requirement: "must be one of the defined enum values") {
        subject, _ in
        guard case .value(let value, let known) = subject else { return nil }
        guard case .signed(let number) = value else { return true }
        return known?.contains(Int32(truncatingIfNeeded: number)) ?? true
    }

    static let beforeNow = time("lt_now", "must be less than now") { ($0.order($1) ?? 0) <= 0 }
    static let afterNow = time("gt_now", "must be greater than now") { ($0.order($1) ?? 0) >= 0 }

    static func aroundNow(_ span: RuleValue) -> RuleTest {
        time("within", "must be within \(span) of now") { $0.isWithin(span, of: $1) }
    }
}

extension RuleTest {
    /// Creates a limit for the length of a string, bytes, a list or a map; nil for other rules.
    static func length(_ rule: String, _ limit: UInt64, of family: String) -> RuleTest? {
        let parts = rule.unicodeScalars.split(separator: "_").map { Substring($0) }
        let units: [Substring: String] = [
            "items": "items", "pairs": "entries", "bytes": "bytes", "len": family == "string" ? "characters" : "bytes",
        ]
        guard let unit = parts.last.flatMap({ units[$0] }) else { return nil }
        let limit = Int64(clamping: limit)
        let relation = ["min": "at least ", "max": "at most "][parts[0]] ?? ""
        return RuleTest(rule: rule, requirement: "must be \(relation)\(limit) \(unit)") { subject, _ in
            guard let count = subject.count(inCharacters: unit == "characters") else { return true }
            return parts[0] == "min" ? count >= limit : parts[0] == "max" ? count <= limit : count == limit
        }
    }

    static let unique = RuleTest(rule: "unique", requirement: "must contain unique items") { subject, _ in
        guard case .list(let contents) = subject else { return nil }
        // Strings are compared byte by byte.
        let items = contents.map { item -> AnyFieldValue in
            if case .string(let text) = item { .bytes(Data(text.utf8)) } else { item }
        }
        return Set(items).count == items.count
    }

    /// Creates a rule for the paths of a field mask.
    static func paths(_ rule: String, _ wanted: [String]) -> RuleTest {
        let list = wanted.joined(separator: ", ")
        let requirements = ["const": "must equal paths [\(list)]", "in": "must only contain paths in [\(list)]"]
        let requirement = requirements[rule] ?? "must not contain any paths in [\(list)]"
        return RuleTest(rule: rule, requirement: requirement) { subject, _ in
            guard case .paths(let paths) = subject else { return nil }
            let covers = { (path: String) in wanted.contains { path == $0 || path.utf8.starts(with: "\($0).".utf8) } }
            return switch rule {
            case "const": paths == wanted
            case "in": paths.allSatisfy(covers)
            default: !paths.contains(where: covers)
            }
        }
    }
}

extension RuleTest {
    /// Creates a rule for the content of a string or bytes; nil for other rules.
    static func content(_ rule: String, _ value: RuleValue) -> RuleTest? {
        let part = value.octets
        switch rule {
        case "prefix": return .value(rule, "does not have prefix \(value)") { $0.octets.starts(with: part) }
        case "suffix":
            return .value(rule, "does not have suffix \(value)") { $0.octets.reversed().starts(with: part.reversed()) }
        case "contains": return .value(rule, "does not contain \(value)") { $0.octets.contains(part) }
        case "not_contains": return .value(rule, "contains substring \(value)") { !$0.octets.contains(part) }
        case "pattern":
            guard let text = value.text else { return nil }
            let pattern = TextPattern(text)
            return .value(rule, "does not match regex pattern `\(text)`") {
                $0.readable.map(pattern.matches) ?? false
            }
        default: return nil
        }
    }

    /// Creates the rules of a string format; empty for an unknown format.
    static func form(_ name: String) -> [RuleTest] {
        guard let form = StringFormat.all[name] else { return [] }
        let rule = name.utf8.suffix(6).elementsEqual(".loose".utf8) ? String(Substring(name.utf8.dropLast(6))) : name
        return forms(rule, form.description, refusesEmpty: form.refusesEmpty) { $0.text.map(form.accepts) ?? true }
    }

    /// Creates the rules of a binary format; empty for an unknown format.
    static func byteForm(_ name: String) -> [RuleTest] {
        let forms = [
            "ip": ("IP address", [4, 16]), "ipv4": ("IPv4 address", [4]), "ipv6": ("IPv6 address", [16]),
            "uuid": ("UUID", [16]),
        ]
        guard let (description, counts) = forms[name] else { return [] }
        return Self.forms(name, description, refusesEmpty: true) { counts.contains($0.octets.count) }
    }

    /// An empty value violates a separate rule.
    private static func forms(
        _ rule: String, _ description: String, refusesEmpty: Bool, accepts: @escaping @Sendable (RuleValue) -> Bool
    ) -> [RuleTest] {
        let form = value(rule, "must be a valid \(description)") { refusesEmpty && $0.octets.isEmpty || accepts($0) }
        guard refusesEmpty else { return [form] }
        let filled = value("\(rule)_empty", "is empty, which is not a valid \(description)") { !$0.octets.isEmpty }
        return [filled, form]
    }
}

extension RuleSubject {
    fileprivate func count(inCharacters: Bool) -> Int? {
        switch self {
        case .list(let contents): contents.count
        case .map(let count): count
        case .value(.text(let text), _): inCharacters ? text.unicodeScalars.count : text.utf8.count
        case .value(.bytes(let data), _): data.count
        case .value, .paths: nil
        }
    }
}

extension RuleValue {
    /// The text of a string value; nil for other values.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The bytes of a string or bytes value.
    fileprivate var octets: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let data): Array(data)
        default: []
        }
    }

    /// The text of a string, or of bytes in UTF-8.
    fileprivate var readable: String? {
        switch self {
        case .text(let text): text
        case .bytes(let data): String(validating: data, as: UTF8.self)
        default: nil
        }
    }

    /// Whether a time is within a duration of another time.
    fileprivate func isWithin(_ span: RuleValue, of now: RuleValue) -> Bool {
        guard case .time(let seconds, let nanoseconds) = span, case .time(let at, let fraction) = now else {
            return false
        }
        let earliest = RuleValue.time(at &- seconds, Int64(fraction) - Int64(nanoseconds))
        let latest = RuleValue.time(at &+ seconds, Int64(fraction) + Int64(nanoseconds))
        return (order(earliest) ?? 0) >= 0 && (order(latest) ?? 0) <= 0
    }
}

extension [UInt8] {
    /// Whether the bytes contain the given part.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) } || part.isEmpty
    }
}
