// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// The names of secret fields, members and parameters in any message.
private enum SecretNames {
    static let fields: Set<HTTPFieldName> = [.authorization, "Proxy-Authorization", .cookie, .setCookie, "DPoP"]
    static let members: Set<String> = [
        "password", "newpassword", "oldpassword", "currentpassword", "accesstoken", "refreshtoken", "idtoken", "token",
        "clientsecret", "secret", "code", "codeverifier", "devicecode", "assertion", "clientassertion", "recoverycodes",
        "challenge", "apikey",
    ]

    /// Whether the name of a member or a parameter is one of them, in any spelling.
    static func contain(_ name: String, _ others: Set<String>) -> Bool {
        others.contains(name) || members.contains(name.lowercasedASCII().filter { $0 != "_" && $0 != "-" })
    }
}

extension HTTPRequest {
    /// The request as a text for snapshots: the same for the same request, and without secrets.
    ///
    /// Fields are sorted. Credentials are `*`, and so are members of JSON and of forms with the names of secrets.
    ///
    /// - Parameter names: The names of further fields, members and parameters to hide, such as those of random values.
    public func snapshot(hiding names: Set<String> = []) -> String {
        var names = names
        for name in credentialFields { names.insert(name.rawName) }
        for name in credentialQueryNames { names.insert(name) }
        let query = query.map { "?" + MessageSnapshot.form(String($0), names) } ?? ""
        return MessageSnapshot.text(
            "\(method) \(scheme)://\(authority)\(pathWithoutQuery)\(query)", fields, body, names)
    }
}

extension HTTPResponse {
    /// The response as a text for snapshots; see `HTTPRequest.snapshot(hiding:)`.
    public func snapshot(hiding names: Set<String> = []) -> String {
        MessageSnapshot.text("\(status)", fields, body, names)
    }
}

/// A message as a text.
private enum MessageSnapshot {
    static func text(_ start: String, _ fields: HTTPFields, _ body: HTTPBody, _ names: Set<String>) -> String {
        let hidden = SecretNames.fields.union(names.map { HTTPFieldName($0) })
        let lines = fields.map { field in
            let name = field.name.rawName.lowercasedASCII()
            return "\(name): \(hidden.contains(field.name) ? self.hidden(field) : field.value)"
        }
        let head = ([start] + lines.sorted()).joined(separator: "\n")
        guard let content = content(body, fields[.contentType] ?? "", names) else { return head + "\n" }
        return "\(head)\n\n\(content)\n"
    }

    /// Returns the visible part of a credential: its scheme, or the names of cookies.
    private static func hidden(_ field: HTTPFields.Field) -> String {
        switch field.name {
        case .authorization, "Proxy-Authorization":
            return field.value.split(separator: " ").first.map { "\($0) *" } ?? "*"
        case .cookie:
            return field.value.split(separator: ";").map(cookie).joined(separator: "; ")
        case .setCookie:
            let parts = field.value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            return ([cookie(parts[0])] + parts.dropFirst().map(String.init)).joined(separator: ";")
        default: return "*"
        }
    }

    private static func cookie(_ pair: Substring) -> String {
        "\(pair.prefix { $0 != "=" }.trimmingPrefix { $0 == " " })=*"
    }

    private static func content(_ body: HTTPBody, _ type: String, _ names: Set<String>) -> String? {
        guard !body.isEmpty else { return nil }
        guard let text = body.text, body.length == body.bytes.count else {
            return body.length.map { "(\($0) bytes)" } ?? "(a stream)"
        }
        let type = type.lowercasedASCII()
        if type.utf8.starts(with: "application/x-www-form-urlencoded".utf8) { return form(text, names) }
        guard let value = json(text) else { return text }
        return String(decoding: redacted(value, names).serialized(), as: UTF8.self)
    }

    private static func json(_ text: String) -> JSONValue? {
        do { return try JSONValue(parsing: text) } catch { return nil }
    }

    private static func redacted(_ value: JSONValue, _ names: Set<String>) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                JSONObject(
                    members.map { key, value in
                        (
                            key: key,
                            value: SecretNames.contain(key, names) && !value.isNull ? "*" : redacted(value, names)
                        )
                    }))
        case .array(let elements): .array(elements.map { redacted($0, names) })
        default: value
        }
    }

    /// Returns a query or a form with its secrets hidden.
    static func form(_ text: String, _ names: Set<String>) -> String {
        text.split(separator: "&").map { pair in
            let name = String(pair.prefix { $0 != "=" })
            return SecretNames.contain(name, names) ? "\(name)=*" : String(pair)
        }.joined(separator: "&")
    }
}
