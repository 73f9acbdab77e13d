// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
package import LatchCore
import LatchIdentityStorage

/// A value that the operator's apps keep with each account, with its type and the users who read and write it.
///
/// In a configuration file it is a table. In the environment it is one word with parts that are separated by semicolons:
///
/// ```
/// [[attributes]]
/// name = "department"
/// values = ["Sales", "Research"]
/// scope = "work"
///
/// department;values=Sales,Research;scope=work
/// ```
public struct AccountAttribute: Sendable, Hashable {
    /// The form of a value.
    public enum ValueType: String, Sendable, Hashable, CaseIterable {
        /// One line of text.
        case text
        case number
        case boolean
        /// Lines of text.
        case textList = "text-list"
        /// A JSON document.
        case json
    }

    /// Who reads a value, besides the apps of its scope.
    public enum Reader: String, Sendable, Hashable, CaseIterable {
        /// The owner of the account, and administrators.
        case user
        /// Administrators only.
        case administrator
    }

    /// Who writes a value; administrators write all of them.
    public enum Writer: String, Sendable, Hashable, CaseIterable {
        /// The owner of the account, at the registration and later.
        case user
        /// The owner of the account, at the registration only.
        case registration
        /// Administrators only.
        case administrator
    }

    /// The name: a letter, and up to 63 letters, digits and `_`.
    public let name: String
    /// The form of the value.
    public var type = ValueType.text
    /// The permitted texts; empty for any text.
    public var values: [String] = []
    /// The maximum size: the characters of a text, or the bytes of a JSON document; at most 4096.
    public var maximum = 500
    /// Who reads the value.
    public var reader = Reader.user
    /// Who writes the value.
    public var writer = Writer.administrator
    /// The scope whose clients get the value in claims about the user; nil if none do.
    public var scope: Scope?
    /// The name of the claim; nil for the name of the attribute.
    public var claim: String?

    /// Creates an attribute with a text, which users read and administrators write.
    public init(_ name: String) { self.name = name }
}

extension AccountAttribute {
    /// The greatest size of one value: the characters of a text, or the bytes of other values as JSON.
    package static let greatestMaximum = 4096
    /// The number of texts that a list may have.
    private static let maximumTexts = 100
    /// The depth of a JSON document: clients of the value need no more, and a reader's recursion is bounded.
    private static let maximumDepth = 8
    /// The names of an account's other members.
    ///
    /// An error could not distinguish them from an attribute's name.
    private static let reservedNames: Set<String> = [
        "acceptedTerms", "attributes", "email", "emailVerified", "id", "name", "password", "permissions", "roles",
        "status", "tenantId", "username",
    ]

    /// Returns whether a text can be the name of an attribute.
    package static func isName(_ text: String) -> Bool {
        text.isWord(maximum: 64, also: "_") && text.utf8.first?.isASCIILetter == true && !reservedNames.contains(text)
    }

    /// Creates the attribute of a name in `signup_attributes`.
    package init(registered name: String) {
        self.init(name)
        writer = .registration
    }

    /// The claim of the attribute; nil if no scope has it.
    package var claimName: String? { scope.map { _ in claim ?? name } }

    /// Returns what a value must be, as the end of a sentence; nil if the value fits.
    package func expectation(of value: JSONValue) -> String? {
        switch type {
        case .text: isText(value) ? nil : "must be \(values.isEmpty ? "text of \(bounds)" : "one of \(words)")"
        case .number: value.doubleValue == nil ? "must be a number" : nil
        case .boolean: value.boolValue == nil ? "must be true or false" : nil
        case .textList:
            isList(value)
                ? nil
                : "must be a list of up to \(Self.maximumTexts) texts \(values.isEmpty ? "of \(bounds)" : "from \(words)")"
        case .json:
            Self.isDocument(value, maximum: maximum)
                ? nil
                : "must be JSON of up to \(maximum) bytes and \(Self.maximumDepth) levels, without null characters"
        }
    }

    private var bounds: String { "up to \(maximum) characters without control characters" }
    private var words: String { values.joined(separator: ", ") }

    private func isText(_ value: JSONValue) -> Bool {
        guard let text = value.stringValue else { return false }
        guard values.isEmpty else { return values.contains(text) }
        return text.unicodeScalars.count <= maximum && text.isPlain
    }

    private func isList(_ value: JSONValue) -> Bool {
        guard let list = value.arrayValue, list.count <= Self.maximumTexts, list.allSatisfy(isText) else {
            return false
        }
        return value.serialized().count <= Self.greatestMaximum
    }

    /// Returns whether a value is JSON within bounds, which every database and every log can hold.
    package static func isDocument(_ value: JSONValue, maximum: Int = greatestMaximum) -> Bool {
        isShallow(value, levels: maximumDepth) && value.serialized().count <= maximum
    }

    private static func isShallow(_ value: JSONValue, levels: Int) -> Bool {
        switch value {
        case .null, .bool, .integer, .number: true
        case .string(let text): !text.utf8.contains(0)
        case .array(let elements): levels > 0 && elements.allSatisfy { isShallow($0, levels: levels - 1) }
        case .object(let members):
            levels > 0
                && members.allSatisfy { !$0.key.utf8.contains(0) && isShallow($0.value, levels: levels - 1) }
        }
    }

    /// Returns the value of a text, as forms and the columns of CSV files have it; nil if there is none.
    package func value(ofText text: String) -> JSONValue? {
        switch type {
        case .text: return .string(text)
        case .boolean: return text == "true" ? true : text == "false" ? false : nil
        case .number, .textList, .json:
            let limits = JSONLimits(depth: Self.maximumDepth, bytes: Self.greatestMaximum)
            do throws(JSONError) { return try JSONValue(parsing: text, limits: limits) } catch { return nil }
        }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
