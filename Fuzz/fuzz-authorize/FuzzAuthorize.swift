// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import LatchAuth
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchTesting

private let clock = ManualClock(Date(timeIntervalSince1970: 1_800_000_000)).wallClock()
private let store = "/dev/shm/fuzz-authorize-\(getpid()).sqlite"

/// A server with an app of the operator's, and a server that is the client of others.
private let identity = waiting {
    var app = OAuthClient(
        id: "app", grants: [.authorizationCode], redirectURIs: ["https://app.example/back"], isTrusted: true)
    app.authorizationDetailsTypes = ["payment"]
    var web = OAuthClient(
        id: "web", isConfidential: true, grants: [.authorizationCode], redirectURIs: ["https://web.example/back?a=b"],
        requiresPKCE: false)
    web.authenticationMethod = .secretBasic
    var configuration = IdentityConfiguration()
    configuration.issuer = "https://id.example"
    configuration.clients = [app, web]
    configuration.clientSecretDigests = ["web": String(repeating: "0a", count: 32)]
    configuration.requestLimitPerMinute = 10_000_000
    // The fuzzer ends the process itself.
    atexit { unlink(store) }
    return try await Identity(configuration: configuration, storePath: store, mailer: MemoryMailer(), clock: clock)
}

/// Sends an authorization request without a session, by GET and by POST: it is a page, or an error at its client.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAuthorize(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let query = String(decoding: input, as: UTF8.self)
    check(HTTPRequest(scheme: "https", authority: "id.example", path: "/oauth/authorize?\(query)"))
    check(
        HTTPRequest(
            method: .post, scheme: "https", authority: "id.example", path: "/oauth/authorize",
            fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(input)))
    return 0
}

private func check(_ request: HTTPRequest) {
    let response = waiting { try await identity.handler.respond(to: request) }
    let status = response.status.rawValue
    hold(status == 200 || status == 303 || (400..<500).contains(status), "a request is answered: \(status)")
    guard status == 303 else { return hold(response.fields[.location] == nil, "only a redirect leads elsewhere") }
    let location = response.fields[.location] ?? ""
    hold(location.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a URL is one")
    // A request by POST goes on by GET.
    guard !location.hasPrefix("https://id.example/oauth/authorize?posted=") else { return }
    hold(
        location.hasPrefix("https://app.example/back?") || location.hasPrefix("https://web.example/back?a=b&"),
        "an error is for the client: \(location)")
    let items = URLComponents(string: location)?.queryItems ?? []
    let names = items.map(\.name)
    hold(Set(names).count == names.count, "each parameter occurs once")
    hold(!names.contains("code"), "there is no code without a user")
    guard !names.contains("response") else { return }
    hold(
        names.contains("error") && items.contains { $0.name == "iss" && $0.value == "https://id.example" },
        "it is an error")
}
