// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP

/// `latch request`: sends a request with the account's credential.
enum RequestSubcommand {
    static let header = Option.values(
        "header", "LINE", short: "H", "a header field, 'Name: value', or @FILE with several")
    static let data = Option.values(
        "data", "DATA", short: "d", "the content as a form, or @FILE, or @- for standard input")
    static let json = Option.values("json", "DATA", "the same as JSON")
    static let include = Option.flag("include", short: "i", "shows the status and the header fields too")
    static let output = Option.value(
        "output", "FILE", short: "o", "writes the content into a file, whole or not at all")
    static let fail = Option.flag("fail", short: "f", "a status from 400 on is a failure: exit 1, and no content")
    static let location = Option.flag(
        "location", short: "L", "follows redirects; the credential stays with its origin")
    static let allowedOrigin = Option.values(
        "allow-origin", "URL", "a further origin that receives the credential, such as an API of yours")

    static let subcommand = Subcommand(
        name: "request", summary: "sends a request as the current account",
        discussion: """
            Flags are those of curl. The credential is added and refreshed when it expires; when the server
            refuses it, it is refreshed and the request is sent once more. It is sent to the account's own
            origin only, and to those that '--allow-origin' names: their operators can act as the account
            until the token expires. A path alone, such as /user/profile, is relative to the issuer. Without
            '--fail' every response is a success, with any status.
            """,
        options: [
            ClientAccounts.account, header, data, json, include, output, fail, location, allowedOrigin,
            IssuerTransport.authorities,
        ],
        combinesShortNames: true,
        arguments: [
            .init(name: "METHOD", summary: "GET, POST, PUT, PATCH, DELETE, …"),
            .init(name: "URL", summary: "the address, or a path of the issuer"),
        ],
        examples: [
            "latch request GET /user/profile": "the account's profile at the issuer",
            "latch request POST https://id.example.com/files --json @file.json -i": "send JSON, and see the status",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            return try await RequestCommand(invocation: invocation, environment: environment, accounts: accounts).run()
        })
}

/// One request and its printed response.
private struct RequestCommand {
    let invocation: Invocation
    let environment: Environment
    let accounts: ClientAccounts

    /// Sends the request and prints the response.
    func run() async throws -> ExitCode {
        let fields = try RequestFields.read(invocation.all(RequestSubcommand.header))
        let origins = try allowedOrigins()
        let entry = try await accounts.chosen()
        let issuer = try IssuerURL(entry.issuer)
        let request = try await request(fields, issuer)
        if request.origin != issuer.origin, !origins.contains(request.origin) {
            environment.warn(
                "\(request.origin) is not the origin of '\(entry.name)': the request is sent without a credential.",
                hint: "The credential is for \(issuer.origin); "
                    + "if you trust the other one with it, add '--allow-origin \(request.origin)'.")
        }
        // The file is opened before the request, because a later failure would lose the response. A signal in between
        // leaves no file.
        _ = try outputFile()
        let redirects = invocation.has(RequestSubcommand.location) ? RedirectPolicy() : .none
        let response = try await accounts.with(entry) { session in
            let client = accounts.client(of: issuer, session, allowing: origins, redirects: redirects)
            return try await client.respond(to: request)
        }
        if invocation.has(RequestSubcommand.fail), response.status.rawValue >= 400 {
            // The challenge gives the reason, such as a missing scope (RFC 6750 §3).
            throw CommandError.failed(
                "The server responded with \(response.status).",
                hint: response.fields[.wwwAuthenticate].map { "It requires: \($0)" })
        }
        try await show(response, in: try outputFile())
        return .success
    }

    /// Opens the file for the content; nil if the call names none.
    private func outputFile() throws(CommandError) -> FileWriter? {
        guard let path = invocation[RequestSubcommand.output], path != "-" else { return nil }
        do throws(FileError) { return try FileWriter(replacing: path) } catch {
            throw .failed(
                "'\(path)' cannot be written: \(error.description)", hint: "Choose a place that this user may write to."
            )
        }
    }

    /// Returns the additional origins that receive the credential.
    ///
    /// - Throws: `CommandError.usage` for a URL with a path, which would suggest that only a part of the origin
    ///   receives it.
    private func allowedOrigins() throws(CommandError) -> [HTTPOrigin] {
        var origins: [HTTPOrigin] = []
        for text in invocation.all(RequestSubcommand.allowedOrigin) {
            let target: (origin: HTTPOrigin, path: String)?
            do { target = try HTTPOrigin.split(text) } catch { target = nil }
            guard let target, target.path == "/", !text.contains("#") else {
                throw .usage(
                    "'\(text)' is not an origin.", hint: "Write scheme, host and port: https://api.example.com:8443.")
            }
            origins.append(target.origin)
        }
        return origins
    }

    /// Creates the request from the arguments and options.
    private func request(_ fields: HTTPFields, _ issuer: IssuerURL) async throws -> HTTPRequest {
        let (method, target) = (invocation.arguments[0], invocation.arguments[1])
        guard !method.contains("/") else {
            throw CommandError.usage("'\(method)' is not a method.", hint: "Write 'latch request GET URL'.")
        }
        let text = target.hasPrefix("/") ? issuer.origin.description + target : target
        guard let url = URL(encodingOnce: text), HTTPOrigin(url) != nil else {
            throw CommandError.usage(
                "'\(target)' is not a URL.", hint: "Write a URL, or a path of the issuer such as /user/profile.")
        }
        let content = try await RequestContent(invocation, environment)
        var request = try HTTPRequest(
            method: HTTPMethod(rawValue: method.uppercased()), url: url, fields: fields, body: content.body)
        if let mediaType = content.mediaType, request.fields[.contentType] == nil {
            request.fields[.contentType] = mediaType
        }
        if request.fields[.accept] == nil { request.fields[.accept] = "*/*" }
        request.wantsStream = true
        return request
    }
}

extension RequestCommand {
    /// Writes the header fields if requested, and the content as it arrives.
    private func show(_ response: HTTPResponse, in file: FileWriter?) async throws {
        if invocation.has(RequestSubcommand.include) {
            // No reason phrase: HTTP/2 has none, and a script must not rely on it (RFC 9110 §15.1).
            var head = "HTTP \(response.status)\r\n"
            for line in response.fields {
                head += "\(line.name.rawName): \(environment.output.isTerminal ? line.value.printable : line.value)\r\n"
            }
            environment.output.write(head + "\r\n")
        }
        if let file {
            try await response.body.chunks.write(with: file)
            return
        }
        let isForUser = environment.output.isTerminal && invocation[RequestSubcommand.output] == nil
        // The JSON so far; nil for other content, and for JSON that is too long to wait for.
        var json: [UInt8]? = isForUser && response.isJSON ? [] : nil
        do {
            for try await chunk in response.body.chunks {
                if isForUser, chunk.contains(0) {
                    throw CommandError.failed(
                        "The content is not text and could garble the terminal.", hint: "Write it to a file: -o FILE")
                }
                guard let begun = json else {
                    environment.output.writeBytes(chunk)
                    continue
                }
                json = begun + chunk
                if begun.count + chunk.count > Self.longestIndentedJSON {
                    environment.output.writeBytes(begun + chunk)
                    json = nil
                }
            }
        } catch {
            // What has arrived is shown, as it is in a file.
            if let json { environment.output.writeBytes(json) }
            throw error
        }
        if let json { showIndented(json) }
    }

    /// The size in bytes up to which JSON is indented on a terminal.
    private static let longestIndentedJSON = 1 << 20

    private func showIndented(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        do throws(JSONError) {
            let value = try JSONValue(parsing: bytes)
            // A number such as 1.10, or one of many digits, would be shown as another one.
            if value.serialized() == Self.compact(bytes) { return environment.json(value) }
        } catch _ {
            // The server has sent something else than it says, which is shown as it is.
        }
        environment.output.writeBytes(bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    }

    /// Returns JSON without the spaces between its tokens (RFC 8259 §2).
    private static func compact(_ bytes: [UInt8]) -> [UInt8] {
        var (isText, isEscaped) = (false, false)
        return bytes.filter { byte in
            defer {
                if isText, !isEscaped, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    if byte == UInt8(ascii: "\""), !isEscaped { isText.toggle() }
                    isEscaped = false
                }
            }
            return isText || !" \t\r\n".utf8.contains(byte)
        }
    }
}

extension HTTPResponse {
    /// Whether the content is declared as JSON (RFC 6839 §3.1).
    fileprivate var isJSON: Bool {
        let type = fields[.contentType].map { $0.lowercasedASCII().prefix { $0 != ";" && $0 != " " } } ?? ""
        return type == "application/json" || type.hasSuffix("+json")
    }
}

/// Header fields in curl's notation.
private enum RequestFields {
    /// Parses the fields of all `-H` options, in order.
    ///
    /// - Throws: `CommandError.usage` for a malformed field, and for Authorization, which comes from the account.
    static func read(_ lines: [String]) throws(CommandError) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard line.hasPrefix("@") else {
                try add(line, to: &fields)
                continue
            }
            let bytes = try InputFile.bytes(String(line.dropFirst()))
            let text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) { try add(String(line), to: &fields) }
        }
        return fields
    }

    private static func add(_ line: String, to fields: inout HTTPFields) throws(CommandError) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = HTTPFieldName(String(parts[0]))
        guard parts.count == 2, !parts[0].isEmpty else {
            // The line may contain a secret, so the error does not repeat it.
            throw .usage("One of the header lines is not a field.", hint: "Write '-H \"Name: value\"'.")
        }
        guard name != .authorization else {
            throw .usage(
                "The credential comes from the account.", hint: "Leave the field Authorization out, or use curl.")
        }
        fields.append(String(parts[1].drop { $0 == " " || $0 == "\t" }), for: name)
    }
}

/// The content of a request, in curl's notation.
private struct RequestContent: Sendable {
    /// The content, in memory or streamed from a file.
    let body: HTTPBody
    /// The media type that the option implies; nil without content.
    let mediaType: String?

    /// The maximum length of standard input, which is kept in memory so that the request can be repeated.
    private static let limit = 64 << 20

    /// Joins several parts of a form with `&`; concatenates parts of JSON.
    ///
    /// Unlike in curl, a file keeps its line breaks.
    init(_ invocation: Invocation, _ environment: Environment) async throws {
        let (form, json) = (invocation.all(RequestSubcommand.data), invocation.all(RequestSubcommand.json))
        guard form.isEmpty || json.isEmpty else {
            throw CommandError.usage("'--data' and '--json' cannot both be sent.", hint: "Give one of the two.")
        }
        let parts = form + json
        mediaType = parts.isEmpty ? nil : json.isEmpty ? "application/x-www-form-urlencoded" : "application/json"
        // A pipe or a file in /proc has no size, and is read first.
        if parts.count == 1, let only = parts.first, only.hasPrefix("@"), only != "@-",
            let status = FileStatus(of: String(only.dropFirst())), status.isFile, status.size != 0
        {
            body = HTTPBody(try .file(at: String(only.dropFirst())))
            return
        }
        var bytes: [UInt8] = []
        for (number, part) in parts.enumerated() {
            if number > 0, json.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += try await Self.bytes(of: part, environment)
        }
        body = HTTPBody(bytes)
    }

    private static func bytes(of part: String, _ environment: Environment) async throws -> [UInt8] {
        guard part.hasPrefix("@") else { return Array(part.utf8) }
        guard part == "@-" else { return try InputFile.bytes(String(part.dropFirst())) }
        let bytes = try await environment.input.all(limit)
        guard bytes.count <= limit else {
            throw CommandError.failed("Standard input is too long.", hint: "Put it into a file: -d @FILE")
        }
        return bytes
    }
}
