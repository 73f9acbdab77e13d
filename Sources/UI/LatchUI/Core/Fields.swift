// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
public import LatchTexts

/// The kind of a field, which decides its keyboard, its suggestions, and its valid texts.
public enum FieldKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// An email address.
    case email
    /// The email address or user name of a sign-in.
    case username
    /// The password of the account.
    case password
    /// A password that the user chooses.
    case newPassword
    /// A code of an authenticator app or of a message, or a recovery code.
    case oneTimeCode
    /// The six digits of an authenticator app or of an email, where no recovery code is accepted.
    case authenticatorCode
    /// The name of a person.
    case name
    /// Text on one line.
    case text
    /// Text on several lines.
    case paragraph
    /// A box to check, such as for an agreement; its text is ``checked`` or empty.
    ///
    /// A required box has to be checked.
    case checkbox

    /// The text of a checked box.
    public static let checked = "true"

    /// Whether the text is a secret, which the screen removes when a request takes it.
    public var isSecret: Bool {
        switch self {
        case .password, .newPassword, .oneTimeCode, .authenticatorCode: true
        case .email, .username, .name, .text, .paragraph, .checkbox: false
        }
    }

    /// Whether the text is hidden until the user reveals it; a code is visible, since it expires soon.
    public var isMasked: Bool { self == .password || self == .newPassword }

    /// The minimum length of a chosen password, in Unicode scalars (NIST SP 800-63B §5.1.1.2).
    public static let passwordMinimum = PasswordAdvice.minimumLength

    /// Returns the problem of a text; nil for a valid one.
    func problem(of text: String) -> Phrase? {
        switch self {
        case .email: EmailShape.isPlausible(text) ? nil : Phrase("field.email.invalid")
        case .newPassword:
            text.unicodeScalars.count >= Self.passwordMinimum
                ? nil : Phrase("field.newPassword.short", .count(Self.passwordMinimum))
        case .oneTimeCode: text.utf8.count >= 6 ? nil : Phrase("field.code.short")
        case .authenticatorCode:
            text.utf8.count == 6 && text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
                ? nil : Phrase("field.code.digits")
        case .username, .password, .name, .text, .paragraph, .checkbox: nil
        }
    }
}

/// The text of a field; its description redacts a secret.
public struct FieldText: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text.
    public var value: String
    /// Whether it is a secret.
    public let isSecret: Bool

    /// Creates a text.
    public init(_ value: String = "", isSecret: Bool = false) {
        self.value = value
        self.isSecret = isSecret
    }

    /// The text, or a redaction of a secret that does not tell its length.
    public var description: String { isSecret ? (value.isEmpty ? "" : "<redacted>") : value }
    /// The same as the description.
    public var debugDescription: String { description }
    /// A mirror with only the description.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

/// A text field of a form, or a box to check.
public struct Field: Hashable, Sendable {
    /// The identifier of its control.
    public let id: ControlID
    /// The kind of text.
    public let kind: FieldKind
    /// The name that users read.
    public let label: Phrase
    /// Whether an empty text is a problem.
    public let isRequired: Bool
    /// The meaning of the text for AutoFill; nil for none.
    public let contentType: TextContentType?
    /// Whether the text is read-only, such as the user name that the system saves with a new password.
    public let isFixed: Bool
    /// The text as typed.
    public internal(set) var text: FieldText
    /// The problem that the last attempt found; nil after the next edit.
    public internal(set) var problem: Phrase?
    /// Whether a secret is shown.
    public internal(set) var isRevealed = false
    /// Whether the request that took the secret has failed.
    var isSentInVain = false

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - id: The identifier of its control.
    ///   - kind: The kind of text.
    ///   - label: The name that users read.
    ///   - isRequired: Whether an empty text is a problem.
    ///   - text: The text at the beginning.
    ///   - contentType: The meaning of the text for AutoFill; nil for that of the kind.
    ///   - isFixed: Whether the text cannot be edited.
    public init(
        _ id: ControlID, _ kind: FieldKind, _ label: Phrase, isRequired: Bool = true, text: String = "",
        fills contentType: TextContentType? = nil, isFixed: Bool = false
    ) {
        self.isFixed = isFixed
        self.contentType = contentType ?? kind.contentType
        self.id = id
        self.kind = kind
        self.label = label
        self.isRequired = isRequired
        self.text = FieldText(text, isSecret: kind.isSecret)
    }

    /// The text as it is sent: passwords as typed, all other texts without surrounding spaces.
    ///
    /// A code may be typed in groups and with the digits of any script: it is sent without spaces, in ASCII digits. An
    /// address may be pasted with invisible direction marks, which are removed.
    var value: String {
        switch kind {
        case .password, .newPassword: text.value
        case .oneTimeCode, .authenticatorCode: text.value.codeDigits
        case .email, .username: text.value.withoutMarks.trimmingWhitespace()
        case .name, .text, .paragraph, .checkbox: text.value.trimmingWhitespace()
        }
    }

    /// Returns a read-only field with the account's name, which the system saves with a new password; nil without a
    /// name.
    static func account(_ name: String) -> Field? {
        name.isEmpty ? nil : Field(.email, .username, Phrase("field.email"), text: name, isFixed: true)
    }

    /// Returns the problem of the text; nil if it can be sent.
    func findProblem() -> Phrase? {
        if isFixed { return nil }
        let value = value
        guard value.isEmpty else { return kind.problem(of: value) }
        guard isRequired else { return nil }
        return kind == .checkbox ? Phrase("field.checkbox.required") : Phrase("field.required", .phrase(label))
    }

    /// The rule for a new password, or the reason to type a password again; nil for none.
    private var hint: Phrase? {
        if isSentInVain { return Phrase("field.password.again") }
        return kind == .newPassword ? Phrase("field.newPassword.hint", .count(FieldKind.passwordMinimum)) : nil
    }

    /// Returns what the user learns about a new password while typing it; nil while it is short.
    ///
    /// The server decides: it may also know leaked passwords.
    ///
    /// - Parameter address: The address in the same form.
    func advice(knowing address: String) -> Phrase? {
        guard kind == .newPassword else { return nil }
        return switch PasswordAdvice(on: text.value, of: address) {
        case .short: nil
        case .common: Phrase("field.newPassword.common")
        case .accepted: Phrase("field.newPassword.accepted")
        }
    }

    /// The control that shows the field.
    public var control: Control {
        guard kind != .checkbox else {
            var box = Control.toggle(id, label, isOn: !text.value.isEmpty)
            box.problem = problem
            return box
        }
        var control = Control(id, .field(kind), label)
        control.contentType = contentType
        control.hint = hint
        control.text = text
        control.problem = problem
        control.isRevealed = isRevealed
        control.isEnabled = !isFixed
        return control
    }
}

/// The fields of a form, in reading order.
public struct Fields: Hashable, Sendable {
    /// The fields, in reading order.
    public private(set) var all: [Field]

    /// Creates a form of fields.
    public init(_ all: [Field] = []) { self.all = all }

    /// The field with an identifier; nil if the form has none.
    public subscript(id: ControlID) -> Field? { all.first { $0.id == id } }

    /// Returns the text of a field as it is sent; empty if the form has none.
    public func value(_ id: ControlID) -> String { self[id]?.value ?? "" }

    /// Returns the text of a secret as it is sent; its description is redacted.
    public func secret(_ id: ControlID) -> FieldText { FieldText(value(id), isSecret: true) }

    /// The controls of the fields, in order.
    public var controls: [Control] {
        all.map { field in
            var control = field.control
            if let advice = field.advice(knowing: account.first ?? "") { control.hint = advice }
            return control
        }
    }

    /// Whether a field contains a secret.
    public var holdsSecret: Bool { all.contains { $0.kind.isSecret && !$0.text.value.isEmpty } }

    /// Whether a field contains a recovery code, which is longer than the six to eight digits of an authenticator app.
    var holdRecoveryCode: Bool {
        all.contains { field in
            let code = field.value.utf8
            return field.kind == .oneTimeCode && code.count > 8 && !code.allSatisfy { (0x30...0x39).contains($0) }
        }
    }

    /// The typed addresses and user names, which identify the account of an attempt.
    var account: [String] {
        all.filter { $0.kind == .email || $0.kind == .username }.map { $0.value.lowercasedASCII() }
    }

    /// Whether these fields contain all texts of other fields.
    func hold(_ others: Fields) -> Bool {
        others.all.allSatisfy { other in other.text.value.isEmpty || self[other.id]?.text == other.text }
    }

    /// The address in the email field; empty for any other text, such as a password that was typed there.
    var storableEmail: String { value(.email).plausibleEmail }

    /// The first field with a problem; nil if all can be sent.
    public var firstProblem: Field? { all.first { $0.problem != nil } }

    /// Finds the problems of all texts, and returns whether there are none.
    public mutating func validate() -> Bool {
        for index in all.indices { all[index].problem = all[index].findProblem() }
        return firstProblem == nil
    }

    /// Sets the problem that the server has found in a field; does nothing if the form has no such field.
    public mutating func setProblem(_ problem: Phrase, of id: ControlID) {
        change(id) { $0.problem = problem }
    }

    /// Replaces the text of a field, which removes its problem.
    public mutating func set(_ text: String, of id: ControlID) {
        change(id) {
            $0.text.value = text
            $0.problem = nil
            $0.isSentInVain = false
        }
    }

    /// Shows or hides a secret.
    mutating func reveal(_ isRevealed: Bool, of id: ControlID) {
        change(id) { if $0.kind.isMasked { $0.isRevealed = isRevealed } }
    }

    /// Marks the passwords that a failed request has taken.
    mutating func markSecretsAsSentInVain() {
        for index in all.indices where all[index].kind.isMasked { all[index].isSentInVain = true }
    }

    /// Whether a later field is empty, so that the return key leads to it.
    func hasEmptyField(after id: ControlID) -> Bool {
        all.drop { $0.id != id }.dropFirst().contains { $0.kind != .checkbox && $0.text.value.isEmpty }
    }

    /// Removes passwords and codes.
    mutating func wipeSecrets() {
        for index in all.indices where all[index].kind.isSecret {
            all[index].text.value = ""
            all[index].isRevealed = false
        }
    }

    private mutating func change(_ id: ControlID, _ body: (inout Field) -> Void) {
        if let index = all.firstIndex(where: { $0.id == id }) { body(&all[index]) }
    }
}

extension String {
    /// The code without spaces, marks and hyphens, with ASCII digits.
    fileprivate var codeDigits: String {
        var code = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let properties = scalar.properties
            if properties.numericType == .decimal, let value = properties.numericValue, value >= 0 {
                code.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
            } else if !properties.isWhitespace, properties.generalCategory != .format {
                code.append(scalar)
            }
        }
        // The hyphens between the groups of a recovery code stay.
        let digits = code.filter { !$0.properties.isDash }
        let isOfDigits = digits.allSatisfy { ("0"..."9").contains($0) }
        return String(isOfDigits ? String.UnicodeScalarView(digits) : code)
    }

    /// The text without invisible marks, such as U+200E before a pasted address.
    fileprivate var withoutMarks: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .format }))
    }

    /// The text if it looks like an address, else an empty one.
    var plausibleEmail: String { EmailShape.isPlausible(self) ? self : "" }

    /// Returns the text without whitespace around it.
    func trimmingWhitespace() -> String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}

/// A check that a text looks like an email address, which finds typing errors before a form is sent.
///
/// Only a delivered email proves an address.
enum EmailShape {
    static func isPlausible(_ text: String) -> Bool {
        // RFC 5321 §4.5.3.1: 254 bytes, and 64 of them before the @.
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard bytes.count <= 254, parts.count == 2, (1...64).contains(parts[0].count) else { return false }
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ (1...63).contains($0.count) }) else { return false }
        return bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
    }
}
