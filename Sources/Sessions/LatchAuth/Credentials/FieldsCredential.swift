// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCrypto
public import LatchHTTP

/// Several header fields that prove the caller together.
///
/// ```swift
/// try FieldsCredential(["X-Client-ID": "client123", "X-Client-Secret": "…"])
/// ```
public struct FieldsCredential: SessionCredential, Codable {
    /// One field, as it is stored.
    private struct Line: Sendable, Codable {
        let name: String
        let value: String
    }

    private let lines: [Line]

    /// A credential of these fields, in their order.
    ///
    /// - Throws: `AuthError.invalidCredential` where there is none, where a name stands twice in whatever case, and where
    ///   a name or a value is none that HTTP allows.
    public init(_ fields: HTTPFields) throws(AuthError) {
        try Self.check(fields)
        lines = fields.map { Line(name: $0.name.rawName, value: $0.value) }
    }

    /// A credential of these fields, in the order of their names.
    ///
    /// - Throws: `AuthError.invalidCredential`, as ``init(_:)-(HTTPFields)``.
    public init(_ fields: [String: String]) throws(AuthError) {
        var ordered = HTTPFields()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { ordered.append(value, for: HTTPFieldName(name)) }
        try self.init(ordered)
    }

    /// Reads what `encode(to:)` wrote, with the same rules.
    public init(from decoder: any Decoder) throws {
        lines = try decoder.container(keyedBy: CodingKeys.self).decode([Line].self, forKey: .lines)
        try Self.check(fields)
    }

    private enum CodingKeys: String, CodingKey { case lines = "fields" }

    /// Refuses what would be ambiguous on the wire: which of two lines of one name counts is up to the server.
    private static func check(_ fields: HTTPFields) throws(AuthError) {
        guard !fields.isEmpty else { throw .invalidCredential("it has no fields") }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw .invalidCredential("a field stands twice, names being compared without case")
        }
        do { try fields.validate() } catch { throw .invalidCredential("a field holds characters that HTTP forbids") }
    }

    private var fields: HTTPFields {
        var fields = HTTPFields()
        for line in lines { fields.append(line.value, for: HTTPFieldName(line.name)) }
        return fields
    }

    /// Not known: fields do not say.
    public var expiry: Date? { nil }

    /// Sets each field in place of all lines of its name, and marks it as a secret.
    public func authorize(_ request: inout HTTPRequest) {
        let fields = fields
        for line in fields { request.fields[line.name] = line.value }
        request.markCredentials(fields.map(\.name))
    }

    /// Compares the values in constant time; the order of the fields does not count.
    public static func == (left: FieldsCredential, right: FieldsCredential) -> Bool {
        let (left, right) = (left.fields, right.fields)
        guard left.count == right.count else { return false }
        return left.allSatisfy { line in
            right[line.name].map { constantTimeEquals($0.utf8, line.value.utf8) } ?? false
        }
    }
}

extension FieldsCredential: Redacting {
    /// The names of the fields.
    public var description: String {
        "FieldsCredential(\(lines.map(\.name).joined(separator: ", ")), redacted)"
    }
}
