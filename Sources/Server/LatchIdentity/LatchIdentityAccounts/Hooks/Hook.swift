// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchIdentityStorage

/// A program of the operator that the server asks, or tells, over HTTP at one point.
///
/// In a configuration file it is a table. In the environment it is one word with parts that are separated by semicolons:
///
/// ```
/// [[hooks]]
/// name = "gate"
/// on = "sign_up"
/// url = "https://app.example.com/latch/sign-up"
/// secret_file = "/etc/latch/gate.secret"
/// if_down = "refuse"
///
/// crm;on=events;url=https://crm.example.com/latch;events=account.*,session.started
/// ```
///
/// The secrets are in the setting `hook_secrets`, or each is in a file.
public struct Hook: Sendable, Hashable {
    /// The point at which the program is called.
    public enum Point: String, Sendable, Hashable, CaseIterable {
        /// Before an account is created by its owner: the program allows or denies it.
        case signUp = "sign_up"
        /// Before an access token is issued: the program adds claims.
        case token
        /// Before an email is sent: the program may send it instead of the server.
        case mail
        /// When a text message is due: the program sends it.
        case text
        /// At a sign-in with an unknown password: the program asks the system that users are moving from.
        case password
        /// After something has happened: the program is told, at least once.
        case events
    }

    /// What the server does without an answer of the program.
    public enum Fallback: String, Sendable, Hashable, CaseIterable {
        /// The request fails, and can be repeated.
        case refuse
        /// The request continues as without the hook.
        case `continue`
    }

    /// The name, which requests have as the key ID of their signature.
    public let name: String
    /// The point at which the program is called.
    public var point: Point
    /// The URL that receives the requests: https, or http on this machine.
    public var url: String
    /// What the server does without an answer.
    public var fallback = Fallback.refuse
    /// The time within which the program answers, in seconds.
    public var timeout = 3
    /// The events that the program is told, such as `account.created`; `account.*` is each one that begins so.
    ///
    /// If it is empty, all events are.
    public var events: [String] = []
    /// The path of a file with the secret.
    public var secretFile: String?

    /// Creates a hook.
    public init(name: String, at point: Point, url: String) {
        (self.name, self.point, self.url) = (name, point, url)
    }
}

extension Hook {
    /// The seconds that a program may have: a user waits for the answer.
    private static let timeouts = 1...10
    /// The members that are texts, besides the name.
    private static let texts = ["on", "url", "if_down", "secret_file"]
    private static let members = ["name"] + texts + ["timeout", "events"]

    /// Parses the word of a configuration; nil if it is malformed.
    package init?(word: String) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        guard let name = parts.first, Self.isName(name) else { return nil }
        self.init(name: name, at: .events, url: "")
        var seen: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.unicodeScalars.split(separator: "=", maxSplits: 1).map { String($0) }
            guard pair.count == 2, seen.insert(pair[0]).inserted else { return nil }
            switch pair[0] {
            case "timeout":
                guard let number = Int(pair[1]), set(timeout: number) else { return nil }
            case "events":
                guard set(events: pair[1].unicodeScalars.split(separator: ",").map { String($0) }) else { return nil }
            default:
                guard set(pair[0], pair[1]) else { return nil }
            }
        }
        guard !url.isEmpty, seen.contains("on") else { return nil }
    }

    /// The word that `init(word:)` parses.
    package var word: String {
        let parts = pairs.map { "\($0)=\($1)" } + (timeout == 3 ? [] : ["timeout=\(timeout)"])
        return ([name] + parts + (events.isEmpty ? [] : ["events=\(events.joined(separator: ","))"]))
            .joined(separator: ";")
    }

    /// The form as tables of a file.
    package static let tables: SettingTables<[Hook]> = .list(
        known: members, key: "name", id: \.name,
        parse: { table throws(SettingTable.MemberError) in try Hook(table) }, table: { $0.table })

    private init(_ table: SettingTable) throws(SettingTable.MemberError) {
        let name = try table.requiredText("name")
        guard Self.isName(name) else {
            throw SettingTable.MemberError("'name' has 1 to 40 of the letters a to z, digits and '-'")
        }
        self.init(name: name, at: .events, url: "")
        for member in ["on", "url"] { _ = try table.requiredText(member) }
        for member in Self.texts {
            guard let text = try table.text(member) else { continue }
            guard set(member, text) else {
                throw SettingTable.MemberError("the hook '\(name)' needs in '\(member)' \(Self.expected(member))")
            }
        }
        if let number = try table.number("timeout"), !set(timeout: number) {
            throw SettingTable.MemberError("the hook '\(name)' needs in 'timeout' 1 to 10 seconds")
        }
        if let list = try table.list("events"), list.isEmpty || !set(events: list) {
            throw SettingTable.MemberError("the hook '\(name)' needs in 'events' names such as \"account.*\"")
        }
    }

    private var table: JSONObject {
        var table: JSONObject = ["name": .string(name)]
        for (member, text) in pairs { table[member] = .string(text) }
        if timeout != 3 { table["timeout"] = .integer(Int64(timeout)) }
        if !events.isEmpty { table["events"] = .array(events.map { .string($0) }) }
        return table
    }

    /// The members that are texts and that are not the default.
    private var pairs: [(String, String)] {
        [("on", point.rawValue), ("url", url)] + (fallback == .refuse ? [] : [("if_down", fallback.rawValue)])
            + (secretFile.map { [("secret_file", $0)] } ?? [])
    }

    private static func isName(_ text: String) -> Bool {
        text.isWord(maximum: 40, also: "-") && text == text.lowercasedASCII()
    }

    private static func expected(_ member: String) -> String {
        switch member {
        case "on": "one of \(Point.allCases.map(\.rawValue).joined(separator: ", "))"
        case "if_down": "one of \(Fallback.allCases.map(\.rawValue).joined(separator: ", "))"
        case "url": "an https URL, or an http URL of this machine"
        default: "the path of a file"
        }
    }

    /// Sets a member; returns false where the text cannot be used.
    private mutating func set(_ member: String, _ text: String) -> Bool {
        switch member {
        case "on":
            guard let point = Point(rawValue: text) else { return false }
            self.point = point
        case "url":
            guard text.utf8.count <= 500, PublicURL.isLink(text),
                !text.utf8.contains(where: { ";# ".utf8.contains($0) }),
                AppRedirect.isSecure(text) || AppRedirect.isLoopback(text)
            else { return false }
            url = text
        case "if_down":
            guard let fallback = Fallback(rawValue: text) else { return false }
            self.fallback = fallback
        case "secret_file":
            guard !text.isEmpty else { return false }
            secretFile = text
        default: return false
        }
        return true
    }

    private mutating func set(timeout seconds: Int) -> Bool {
        guard Self.timeouts.contains(seconds) else { return false }
        timeout = seconds
        return true
    }

    private mutating func set(events names: [String]) -> Bool {
        guard !names.isEmpty, names.allSatisfy({ EventPattern($0) != nil }) else { return false }
        events = names
        return true
    }

    /// Returns a description of the missing or misplaced part; nil if there is none.
    package var flaw: String? {
        guard point == .events || events.isEmpty else { return "no events for '\(name)', which is not on events" }
        return point == .events && fallback == .continue
            ? "no if_down for '\(name)': events wait until the program accepts them" : nil
    }

    /// Whether the program is told of an event.
    package func tells(_ event: String) -> Bool {
        point == .events && (events.isEmpty || events.contains { EventPattern($0)?.matches(event) == true })
    }
}

/// The name of an event, or the beginning of several with `*` at its end.
struct EventPattern: Sendable {
    private let start: String
    private let isWhole: Bool

    init?(_ text: String) {
        isWhole = text.utf8.last != UInt8(ascii: "*")
        start = isWhole ? text : String(Substring(text.utf8.dropLast()))
        guard start.isWord(maximum: 60, also: ".-") || start.isEmpty && !isWhole else { return nil }
    }

    func matches(_ event: String) -> Bool {
        isWhole ? event == start : event.utf8.starts(with: start.utf8)
    }
}
