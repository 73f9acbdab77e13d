// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// One part of a message that a signature covers (RFC 9421 §2): a field, or something derived from the message.
///
/// ```swift
/// let covered: [SignatureComponent] = ["@method", "@authority", "content-type", .queryParameter("page")]
/// ```
public struct SignatureComponent: Sendable, ExpressibleByStringLiteral {
    /// The field's name in lower case, or a derived name such as `@method`.
    public let name: String
    /// How the part is taken: `sf`, `key`, `bs`, `req`, `tr` and, for a query parameter, `name`.
    public private(set) var parameters: StructuredParameters

    /// The whole request method (§2.2.1).
    public static let method: SignatureComponent = "@method"
    /// The whole target with its scheme (§2.2.2).
    public static let targetURI: SignatureComponent = "@target-uri"
    /// The host, and the port where it is not the scheme's own (§2.2.3).
    public static let authority: SignatureComponent = "@authority"
    /// The scheme (§2.2.4).
    public static let scheme: SignatureComponent = "@scheme"
    /// The target as the request line has it (§2.2.5).
    public static let requestTarget: SignatureComponent = "@request-target"
    /// The path without the query (§2.2.6).
    public static let path: SignatureComponent = "@path"
    /// The whole query, with its question mark (§2.2.7).
    public static let query: SignatureComponent = "@query"
    /// The status of a response (§2.2.9).
    public static let status: SignatureComponent = "@status"

    /// A component without parameters.
    public init(stringLiteral name: String) { self.init(name: name, parameters: [:]) }

    /// A field, over all of its lines.
    public static func field(_ name: HTTPFieldName) -> SignatureComponent {
        SignatureComponent(name: name.canonicalName, parameters: [:])
    }

    /// One parameter of the query (§2.2.8), by its name as it reads once decoded.
    public static func queryParameter(_ name: String) -> SignatureComponent {
        SignatureComponent(name: "@query-param", parameters: ["name": .string(QueryParameters.encode(name))])
    }

    /// The field, read as a structured field and written in its one spelling (§2.1.1).
    public var strict: SignatureComponent { adding("sf", true) }

    /// One member of a field that is a dictionary (§2.1.2).
    public func member(_ key: String) -> SignatureComponent { adding("key", .string(key)) }

    /// The lines of the field as bytes, for fields that cannot be joined with commas (§2.1.3).
    public var bytes: SignatureComponent { adding("bs", true) }

    /// The same part of the request that a response answers (§2.4).
    public var ofRequest: SignatureComponent { adding("req", true) }

    private func adding(_ key: String, _ value: StructuredValue) -> SignatureComponent {
        var copy = self
        copy.parameters[key] = value
        return copy
    }

    private init(name: String, parameters: StructuredParameters) {
        self.name = HTTPFieldName(name).canonicalName
        self.parameters = parameters
    }

    /// A component as a message names it.
    ///
    /// - Throws: `AuthError.malformedSignature` where it is none that is understood here.
    init(_ item: StructuredItem) throws(AuthError) {
        guard let name = item.value.stringValue, name == HTTPFieldName(name).canonicalName else {
            throw .malformedSignature("a component is no name in lower case")
        }
        self.name = name
        parameters = item.parameters
        try validate()
    }

    /// Whether it is taken from the request of a response.
    var isOfRequest: Bool { parameters.isTrue("req") }

    /// Whether it covers the digest of the message's own content, with every algorithm in it.
    ///
    /// One member of the field does not count: that of an algorithm which nobody checks would prove nothing.
    var isContentDigest: Bool { name == "content-digest" && !isOfRequest && parameters["key"] == nil }

    /// The component as an item, without which its value stands for nothing.
    var item: StructuredItem { StructuredItem(.string(name), parameters) }
}

extension SignatureComponent {
    private static let derived: Set<String> = [
        "@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", "@query-param",
        "@status",
    ]

    /// Refuses what this reader would take for something else than the writer meant.
    func validate() throws(AuthError) {
        let isDerived = name.hasPrefix("@")
        guard !isDerived || Self.derived.contains(name) else {
            throw .malformedSignature("a derived component is not known")
        }
        guard isDerived || (!name.isEmpty && name.utf8.allSatisfy(isTokenByte)) else {
            throw .malformedSignature("a component is no name of a field")
        }
        for (key, value) in parameters {
            switch (key, value) {
            case ("req", .boolean(true)): continue
            case ("sf", .boolean(true)) where !isDerived, ("bs", .boolean(true)) where !isDerived: continue
            case ("key", .string) where !isDerived, ("name", .string) where name == "@query-param": continue
            case ("tr", _): throw .malformedSignature("trailer fields are not supported")
            // RFC 9421 §2.5: a parameter that is not understood changes the value in a way that is not understood.
            default: throw .malformedSignature("a component has a parameter that is not understood")
            }
        }
        guard name != "@query-param" || parameters["name"] != nil else {
            throw .malformedSignature("a query parameter has no name")
        }
        guard parameters["bs"] == nil || (parameters["sf"] == nil && parameters["key"] == nil) else {
            throw .malformedSignature("a field is to be taken as bytes and as a structured field at once")
        }
    }
}

extension SignatureComponent: Hashable {
    /// RFC 9421 §2: the order of the parameters does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.parameters.count == right.parameters.count
            && left.parameters.allSatisfy { right.parameters[$0.key] == $0.value }
    }

    /// By the name and the parameters in any order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(Dictionary(parameters.map { ($0.key, $0.value) }) { $1 })
    }
}
