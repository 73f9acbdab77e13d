// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// A credential in several header fields.
///
/// ```swift
/// try HeaderCredential(["X-Client-ID": "client123", "X-Client-Secret": "…"])
/// ```
public struct HeaderCredential: SessionCredential, Codable {
    /// A stored header field.
    private struct Line: Sendable, Codable {
        let name: String
        let value: String
    }

    private let lines: [Line]

    /// Creates a credential from header fields in their order.
    ///
    /// - Throws: `AuthError.invalidCredential` without any field, if a name occurs twice ignoring case, or if HTTP does
    ///   not allow a name or a value.
    public init(_ fields: HTTPFields) throws(AuthError) {
        try Self.check(fields)
        lines = fields.map { Line(name: $0.name.rawName, value: $0.value) }
    }

    /// Creates a credential from header fields in the order of their names.
    ///
    /// - Throws: `AuthError.invalidCredential`, as ``init(_:)-(HTTPFields)``.
    public init(_ fields: [String: String]) throws(AuthError) {
        var ordered = HTTPFields()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { ordered.append(value, for: HTTPFieldName(name)) }
        try self.init(ordered)
    }

    /// Decodes a credential, and runs the checks of the initializer.
    public init(from decoder: any Decoder) throws {
        lines = try decoder.container(keyedBy: CodingKeys.self).decode([Line].self, forKey: .lines)
        try Self.check(fields)
    }

    private enum CodingKeys: String, CodingKey { case lines = "fields" }

    /// Refuses ambiguous fields: of two lines with one name, the server would decide which one counts.
    private static func check(_ fields: HTTPFields) throws(AuthError) {
        guard !fields.isEmpty else { throw .invalidCredential("it has no fields") }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw .invalidCredential("a field occurs twice, compared without case")
        }
        do { try fields.validate() } catch { throw .invalidCredential("a field contains characters that HTTP forbids") }
    }

    private var fields: HTTPFields {
        var fields = HTTPFields()
        for line in lines { fields.append(line.value, for: HTTPFieldName(line.name)) }
        return fields
    }

    /// Sets each field, replacing all lines with its name, and marks it as a secret.
    public func authorize(_ request: inout HTTPRequest) {
        let fields = fields
        for line in fields { request.fields[line.name] = line.value }
        request.markCredentials(fields.map(\.name))
    }

    /// Compares the values in constant time, and ignores the order of the fields.
    public static func == (left: HeaderCredential, right: HeaderCredential) -> Bool {
        let (left, right) = (left.fields, right.fields)
        guard left.count == right.count else { return false }
        return left.allSatisfy { line in
            right[line.name].map { constantTimeEquals($0.utf8, line.value.utf8) } ?? false
        }
    }
}

extension HeaderCredential: Redacting {
    /// The names of the fields.
    public var description: String {
        "HeaderCredential(\(lines.map(\.name).joined(separator: ", ")), redacted)"
    }
}
