// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchHTTP
import LatchIdentity
package import LatchServer
import Synchronization
import Testing

/// The server's description of its JSON routes (OpenAPI), with which every response of a test is compared.
package struct APIDescription: Sendable {
    private let paths: [(pattern: [String], operations: JSONObject)]
    private let schemas: JSONObject

    /// The descriptions by the routes of their servers; many tests have servers with the same ones.
    private static let known = Mutex<[[String]: APIDescription]>([:])

    /// Returns the description of a server's routes.
    package static func of(_ router: Router) -> APIDescription {
        let routes = router.routes.map { "\($0.method) \($0.pattern)" }
        if let description = known.withLock({ $0[routes] }) { return description }
        let document = OpenAPIDocument(described: router, serviceName: "Test", version: "1")
        let description = APIDescription(document.json(at: "http://127.0.0.1"))
        known.withLock { $0[routes] = description }
        return description
    }

    private init(_ document: JSONObject) {
        paths = (document["paths"]?.objectValue ?? [:]).map { path, operations in
            (Self.segments(path), operations.objectValue ?? [:])
        }
        schemas = document["components"]?["schemas"]?.objectValue ?? [:]
    }

    /// Records an issue unless a response is one that the description has; routes that it lacks are ignored.
    package func check(_ response: HTTPResponse, to method: HTTPMethod, _ path: String) {
        guard let operation = operation(method, path) else { return }
        let name = "\(method) \(path): \(response.status.rawValue)"
        guard let described = operation["responses"]?["\(response.status.rawValue)"] else {
            Issue.record("\(name) is not described: \(response.body.text ?? "")")
            return
        }
        let type = response.fields[.contentType]?.split(separator: ";").first.map(String.init)
        guard let type, !response.body.isEmpty else {
            // A revocation has a message only for some clients.
            if described["content"] != nil, !path.hasSuffix("/oauth/revoke"), method != .head {
                Issue.record("\(name) has no content")
            }
            return
        }
        guard let content = described["content"]?.objectValue, let media = content[type] else {
            Issue.record("\(name) has a content of \(type) that is not described")
            return
        }
        guard let schema = media["schema"] else { return }
        do {
            let problems = problems(of: try JSONValue(parsing: response.body.bytes), schema, at: "")
            if !problems.isEmpty { Issue.record("\(name): \(problems.joined(separator: "; "))") }
        } catch {
            Issue.record("\(name) is not JSON")
        }
    }

    /// Returns the operation of a request: of several patterns, the one with the fewest parameters.
    package func operation(_ method: HTTPMethod, _ path: String) -> JSONObject? {
        let path = path.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let segments = Self.segments(path)
        let fitting = paths.filter { candidate in
            candidate.pattern.count == segments.count
                && zip(candidate.pattern, segments).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }
        let best = fitting.min { left, right in Self.parameters(left.pattern) < Self.parameters(right.pattern) }
        return best?.operations[method.rawValue.lowercased()]?.objectValue
    }

    private static func segments(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private static func parameters(_ pattern: [String]) -> Int { pattern.count { $0.hasPrefix("{") } }

    // MARK: Schemas

    /// Returns what a value has besides its schema, and what it lacks.
    private func problems(of value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        if let reference = schema["$ref"]?.stringValue {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return problems(of: value, schemas[name] ?? .null, at: place)
        }
        // A schema without a type describes a value of any form.
        if schema.objectValue != nil, schema["type"] == nil { return [] }
        let types = schema["type"]?.arrayValue ?? [schema["type"] ?? .null]
        if value.isNull, types.contains("null") { return [] }
        switch types.first?.stringValue {
        case "object":
            guard let object = value.objectValue else { return ["\(place) is no object"] }
            return problems(of: object, schema, at: place)
        case "array":
            guard let array = value.arrayValue else { return ["\(place) is no array"] }
            return array.flatMap { problems(of: $0, schema["items"] ?? .null, at: "\(place)[]") }
        case "string":
            guard let text = value.stringValue else { return ["\(place) is no text"] }
            let isKnown = schema["enum"]?.arrayValue?.contains(.string(text)) ?? true
            return isKnown ? [] : ["\(place) is '\(text)'"]
        case "integer": return value.intValue == nil ? ["\(place) is no whole number"] : []
        case "boolean": return value.boolValue == nil ? ["\(place) is neither true nor false"] : []
        default: return ["\(place) has no schema"]
        }
    }

    private func problems(of object: JSONObject, _ schema: JSONValue, at place: String) -> [String] {
        let others = schema["additionalProperties"]
        if let values = others, values != true {
            return object.flatMap { problems(of: $0.value, values, at: "\(place).\($0.key)") }
        }
        // An object of a specification, which the description does not repeat.
        guard let properties = schema["properties"]?.objectValue else { return [] }
        let missing = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue).filter { object[$0] == nil }
        return missing.map { "\(place).\($0) is missing" }
            + object.flatMap { name, value -> [String] in
                guard let property = properties[name] else {
                    return others == true ? [] : ["\(place).\(name) is not described"]
                }
                return problems(of: value, property, at: "\(place).\(name)")
            }
    }
}
