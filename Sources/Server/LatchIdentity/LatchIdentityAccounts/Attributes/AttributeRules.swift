// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchIdentityStorage

/// The attributes that a configuration names, and the checks of every value on its way into an account.
package struct AttributeRules: Sendable {
    /// Who writes a value.
    package enum Author: Sendable {
        /// The owner, who registers.
        case registration
        /// The owner of an account.
        case owner
        /// An administrator, or the operator's code.
        case administrator
    }

    /// The number of attributes that an account may have.
    package static let maximumCount = 50
    /// The maximum size of all attributes of an account as JSON, in bytes.
    ///
    /// Each refresh reads the account, and the cache of verified tokens holds it.
    package static let maximumTotalBytes = 16 << 10

    /// The attributes in the order of the configuration.
    package let all: [AccountAttribute]
    private let known: [String: AccountAttribute]

    package init(_ configuration: IdentityConfiguration) {
        all = configuration.attributes + configuration.signUpAttributes.map(AccountAttribute.init(registered:))
        // The check of the configuration refuses a name that is repeated.
        known = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: Configuration

    /// Checks what several settings say of attributes.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package static func check(_ configuration: IdentityConfiguration) throws(IdentityError) {
        let rules = AttributeRules(configuration)
        let problem = { (reason: String) in IdentityError.unusableSetting("attributes", reason) }
        guard rules.all.count <= maximumCount else { throw problem("there are more than \(maximumCount)") }
        var (names, claims): (Set<String>, Set<String>) = ([], [])
        for attribute in rules.all {
            guard names.insert(attribute.name).inserted else {
                throw problem("'\(attribute.name)' is there twice, or also in signup_attributes")
            }
            guard let scope = attribute.scope, let claim = attribute.claimName else { continue }
            guard claims.insert(claim).inserted else { throw problem("two attributes have the claim '\(claim)'") }
            guard !configuration.scopes.contains(scope),
                !configuration.resources.contains(where: { $0.scopes.contains(scope) })
            else { throw problem("the scope '\(scope.rawValue)' is one of an API, and says nothing about users") }
            guard !configuration.clients.contains(where: { [$0.rolesClaim, $0.groupsClaim].contains(claim) }) else {
                throw problem("the claim '\(claim)' has the roles for a client")
            }
        }
    }

    // MARK: Reading

    /// Returns an attribute that the configuration names.
    package subscript(name: String) -> AccountAttribute? { known[name] }

    /// Returns the attributes that the owner of an account reads.
    package func readable(_ attributes: [String: JSONValue]) -> [String: JSONValue] {
        attributes.filter { known[$0.key]?.reader == .user }
    }

    /// The scopes of attributes.
    package var scopes: Scopes { Scopes(all.compactMap(\.scope)) }

    // MARK: Writing

    /// Checks a change, in which null removes an attribute.
    ///
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field, and never its value.
    package func check(_ changes: [String: JSONValue], by author: Author) throws(IdentityError) {
        guard changes.count <= Self.maximumCount else {
            throw .invalid("attributes", "has more than \(Self.maximumCount) members")
        }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            guard let attribute = known[name], !Self.isHidden(attribute, from: author) else {
                // Administrators clear what the configuration no longer names.
                if author == .administrator, value.isNull { continue }
                throw .invalid(
                    name.sanitized(64) ?? "", "is not an attribute of this server",
                    hint: "The server's settings attributes and signup_attributes list the allowed attributes.")
            }
            try Self.requireWriter(author, of: attribute)
            guard !value.isNull, let expectation = attribute.expectation(of: value) else { continue }
            let isTyped = author == .administrator && attribute.type != .text && value.stringValue != nil
            throw .invalid(
                name, expectation,
                hint: isTyped
                    ? "Send JSON of this type, at a terminal with --as-json."
                    : "The server's settings say what the attribute takes.")
        }
    }

    /// Whether an attribute looks like one that does not exist.
    private static func isHidden(_ attribute: AccountAttribute, from author: Author) -> Bool {
        switch author {
        case .registration: attribute.reader == .administrator && attribute.writer != .registration
        case .owner: attribute.reader == .administrator
        case .administrator: false
        }
    }

    private static func requireWriter(_ author: Author, of attribute: AccountAttribute) throws(IdentityError) {
        switch (author, attribute.writer) {
        case (.administrator, _), (.registration, .registration), (.registration, .user), (.owner, .user): return
        case (.registration, .administrator), (.owner, .registration), (.owner, .administrator):
            throw .invalid(attribute.name, "is changed by administrators", hint: "Ask an administrator to change it.")
        }
    }

    /// Requires that all attributes of an account together are within their bound.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    package static func requireSize(_ attributes: [String: JSONValue]) throws(IdentityError) {
        let bytes = JSONValue.object(JSONObject(sorting: attributes)).serialized().count
        guard attributes.isEmpty || bytes <= maximumTotalBytes else {
            throw .invalid("attributes", "exceed \(maximumTotalBytes) bytes in total")
        }
    }

    /// Sets attributes of an account that is about to be created, with the rights of an administrator.
    ///
    /// Null removes an attribute of the registration.
    ///
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field.
    package func merge(_ values: [String: JSONValue], into account: inout Account) throws(IdentityError) {
        try check(values, by: .administrator)
        let merged = account.attributes(changedBy: values)
        try Self.requireSize(merged)
        account.attributes = merged
    }

    // MARK: Import

    /// Returns the attributes of an imported account; those that the configuration does not name keep their values.
    ///
    /// A column of a CSV file is a text, which becomes the number, the flag or the list that the attribute needs. A number
    /// or a flag becomes text where the attribute is one.
    ///
    /// - Throws: `IdentityError.invalidRecord`, which names the attribute, and never its value.
    func imported(_ members: JSONObject) throws(IdentityError) -> [String: JSONValue] {
        var attributes: [String: JSONValue] = [:]
        for (name, value) in members where !value.isNull { attributes[name] = converted(value, named: name) }
        guard attributes.count <= Self.maximumCount else {
            throw .invalidRecord("attributes", "are more than \(Self.maximumCount)")
        }
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            guard AccountAttribute.isName(name) else {
                throw .invalidRecord(
                    "attributes", "have the name '\(name.sanitized(64) ?? "")'",
                    hint: "A name is a letter, then up to 63 letters, digits and _.")
            }
            if let expectation = known[name].map({ $0.expectation(of: value) }) ?? Self.expectation(of: value) {
                throw .invalidRecord("attributes", "have a value of '\(name)' that \(expectation)")
            }
        }
        do throws(IdentityError) { try Self.requireSize(attributes) } catch {
            throw .invalidRecord("attributes", "exceed \(Self.maximumTotalBytes) bytes in total")
        }
        return attributes
    }

    private func converted(_ value: JSONValue, named name: String) -> JSONValue {
        guard let attribute = known[name] else { return value }
        switch (attribute.type, value) {
        case (.text, .bool(let flag)): return .string(String(flag))
        case (.text, .integer(let number)): return .string(String(number))
        case (.number, .string(let text)), (.boolean, .string(let text)), (.textList, .string(let text)):
            return attribute.value(ofText: text) ?? value
        default: return value
        }
    }

    /// Returns what the value of an attribute must be that the configuration does not name.
    private static func expectation(of value: JSONValue) -> String? {
        let isPlain = value.stringValue?.isPlain ?? true
        return isPlain && AccountAttribute.isDocument(value)
            ? nil : "has control characters, more than \(AccountAttribute.greatestMaximum) bytes, or too many levels"
    }
}
