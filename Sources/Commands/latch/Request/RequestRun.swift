// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP

/// One request, and what is shown of its answer.
struct RequestRun {
    private let invocation: Invocation
    private let shell: Shell
    private let accounts: ClientAccounts

    init(_ invocation: Invocation, _ shell: Shell) throws(CommandError) {
        self.invocation = invocation
        self.shell = shell
        accounts = try ClientAccounts(shell)
    }

    /// Sends it and writes the answer.
    func run() async throws -> ExitCode {
        let fields = try RequestFields.read(invocation.all(RequestVerb.header))
        let entry = try await accounts.chosen(invocation)
        let issuer = try IssuerURL(entry.issuer)
        let request = try await request(fields, issuer)
        if request.origin != issuer.origin {
            shell.warn(
                "\(request.origin) is not the origin of '\(entry.name)': the request goes without a credential.",
                hint: "The credential is for \(issuer.origin) alone.")
        }
        let response = try await accounts.with(entry) { session in
            let client = Client(
                baseURL: issuer.url, interceptors: [SessionInterceptor(session, for: .origin(issuer.origin))],
                redirects: invocation.has(RequestVerb.location) ? RedirectPolicy() : .none)
            return try await client.respond(to: request)
        }
        if invocation.has(RequestVerb.fail), response.status.rawValue >= 400 {
            throw CommandError.failed("The server answered \(response.status).", hint: Self.reason(response))
        }
        try await show(response)
        return .success
    }

    /// The request that the words and the flags describe.
    private func request(_ fields: HTTPFields, _ issuer: IssuerURL) async throws -> HTTPRequest {
        let (method, place) = (invocation.operands[0], invocation.operands[1])
        guard !method.contains("/") else {
            throw CommandError.usage("'\(method)' is no method.", hint: "Write 'latch request GET URL'.")
        }
        let text = place.hasPrefix("/") ? issuer.origin.description + place : place
        guard let url = URL(string: text), HTTPOrigin(url) != nil else {
            throw CommandError.usage(
                "'\(place)' is no address.", hint: "Write a URL, or a path of the issuer such as /user/profile.")
        }
        let content = try await RequestContent(invocation, shell)
        var request = try HTTPRequest(
            method: HTTPMethod(rawValue: method.uppercased()), url: url, fields: fields, body: content.body)
        if let mediaType = content.mediaType, request.fields[.contentType] == nil {
            request.fields[.contentType] = mediaType
        }
        if request.fields[.accept] == nil { request.fields[.accept] = "*/*" }
        request.wantsStream = true
        return request
    }

    /// What an API says about a refused credential or a missing scope (RFC 6750 §3), as a hint.
    private static func reason(_ response: HTTPResponse) -> String? {
        let challenge = response.fields[.wwwAuthenticate]
        return challenge.map { "It wants: \($0)" }
    }
}

extension RequestRun {
    /// Writes the head where it was asked for, and the content as it arrives.
    private func show(_ response: HTTPResponse) async throws {
        if invocation.has(RequestVerb.include) {
            // Not the server's words: HTTP/2 has none, and no script may rely on them (RFC 9110 §15.1).
            var head = "HTTP \(response.status)\r\n"
            for line in response.fields { head += "\(line.name.rawName): \(line.value)\r\n" }
            shell.output.write(head + "\r\n")
        }
        if let path = invocation[RequestVerb.output], path != "-" {
            try await response.body.chunks.write(to: path)
            return
        }
        for try await chunk in response.body.chunks {
            if shell.output.isTerminal, chunk.contains(0), invocation[RequestVerb.output] == nil {
                throw CommandError.failed(
                    "The content is no text and would upset the terminal.", hint: "Write it to a file: -o FILE")
            }
            shell.output.writeBytes(chunk)
        }
    }
}
