// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchJOSE
import LatchTesting

private let now: Int64 = 1_800_000_000
private let issuer = "https://id.example"
private let clock = ManualClock(Date(timeIntervalSince1970: Double(now))).wallClock()

private let store = "/dev/shm/fuzz-signed-\(getpid()).sqlite"

private let key: Key = {
    guard let key = try? Key.generate(.es256) else { fatalError("there is no key") }
    return key
}()

/// A server with a client that signs its requests.
private let identity = waiting {
    var client = OAuthClient(id: "app", grants: [.authorizationCode], redirectURIs: ["https://app.example/back"])
    client.jwks = KeySet([key]).jwks()
    var configuration = IdentityConfiguration()
    configuration.issuer = issuer
    configuration.clients = [client]
    (configuration.requestLimitPerMinute, configuration.tokenLimitPerMinute) = (10_000_000, 10_000_000)
    // The fuzzer ends the process itself.
    atexit { unlink(store) }
    return try await Identity(configuration: configuration, storePath: store, mailer: MemoryMailer(), clock: clock)
}

/// Signs a line as a header and the rest as claims, and reads the result as a DPoP proof and as a request object.
///
/// `JWK` in the header stands for the public key. Whatever is accepted says what it was accepted for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSigned(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let line = input.prefix { $0 != UInt8(ascii: "\n") }
    let jwk = String(decoding: JSONValue.object(key.jwk).serialized(), as: UTF8.self)
    let header = String(decoding: line, as: UTF8.self).replacing("JWK", with: jwk)
    let claims = Array(input.dropFirst(line.count + 1))
    let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
    guard let signature = try? key.signature(for: Array(signed.utf8)) else { return 0 }
    let text = signed + "." + Base64URL.encode(signature)
    let members = (try? JSONValue(parsing: claims).objectValue) ?? [:]
    let type = (try? JSONValue(parsing: Array(header.utf8)))?["typ"]?.stringValue
    checkProof(text, members, type)
    checkRequest(text, members, type)
    return 0
}

private func checkProof(_ text: String, _ claims: JSONObject, _ type: String?) {
    var request = HTTPRequest(method: .post, scheme: "https", authority: "api.example", path: "/a?b")
    request.fields[.dpop] = text
    let verifier = DPoPVerifier(clock: clock) { _, _ in true }
    guard let proof = try? verifier.verify(request) else { return }
    hold(type == "dpop+jwt" && claims["htm"] == "POST", "a proof is one, for its method")
    hold(claims["htu"]?.stringValue != nil, "a proof is for an address")
    hold(claims["jti"]?.stringValue?.isEmpty == false, "a proof has a name")
    hold(abs((claims["iat"]?.doubleValue ?? 0) - Double(now)) <= 60, "a proof is new")
    hold(proof.thumbprint == key.thumbprint, "a proof is by its key")
    hold((try? verifier.verify(request)) == nil, "a proof counts once")
}

private func checkRequest(_ text: String, _ claims: JSONObject, _ type: String?) {
    let form = FormEncoding.encode([("client_id", "app"), ("request", text)])
    let request = HTTPRequest(
        method: .post, scheme: "https", authority: "id.example", path: "/oauth/par",
        fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(Array(form.utf8)))
    let status = waiting { try await identity.handler.respond(to: request).status.rawValue }
    hold(status == 201 || (400..<500).contains(status), "a request is accepted or refused: \(status)")
    guard status == 201 else { return }
    hold(type.map { $0.lowercased().hasSuffix("jwt") && !$0.contains("dpop") } ?? true, "a request object is no proof")
    hold(claims["sub"] != "app", "a request object authenticates nobody")
    hold(claims["iss"] == nil || claims["iss"] == "app", "a request object is the client's")
    hold(claims["redirect_uri"].map { $0 == "https://app.example/back" } ?? true, "a request returns to its client")
    hold(claims["exp"].map { ($0.doubleValue ?? 0) > Double(now) - 11 } ?? true, "a request object has not expired")
}
