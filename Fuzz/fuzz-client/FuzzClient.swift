// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchAuth
import LatchCore
import LatchIdentity

private let policy: ScopePolicy = {
    var configuration = IdentityConfiguration()
    configuration.scopes = ["notes:read", "notes:admin"]
    return ScopePolicy(configuration)
}()

/// Reads bytes as the metadata of a client that registers itself, as a document about one, and as the URL of a document.
///
/// What is accepted reads back, has no right of the operator, and may be returned to where it said.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClient(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = bytes(data, count)
    let text = String(decoding: input, as: UTF8.self)
    if ClientDocuments.isID(text) {
        hold(text.utf8.starts(with: "https://".utf8) && !text.utf8.contains(UInt8(ascii: "#")), "a document has a URL")
        hold(!text.utf8.contains(UInt8(ascii: "@")), "a URL names no user")
    }
    guard let metadata = try? JSONValue(parsing: input).objectValue else { return 0 }
    for rules in [ClientMetadataRules.registration(policy), .document(policy)] {
        guard let client = try? OAuthClient(id: "app", metadata: metadata, rules: rules) else { continue }
        hold(!client.isTrusted && !client.belongsToOperator, "no client makes itself trusted")
        hold(!client.isResourceServer, "no client reads the tokens of others")
        hold(client.requiresPKCE && client.signsUsersIn && client.serves.isEmpty, "each has a user who decides")
        hold(client.scopes?.contains("notes:admin") == false, "no client makes itself an administrator's")
        hold(rules.permitsSecrets || !client.hasSecret, "a document is no secret")
        for redirect in client.redirectURIs {
            hold(client.allows(redirect: redirect), "what is registered is accepted")
        }
        readBack(client, rules)
    }
    return 0
}

/// The metadata of a response registers the same client, and so does its row.
private func readBack(_ client: OAuthClient, _ rules: ClientMetadataRules) {
    let again = try? OAuthClient(id: "app", metadata: client.metadata, rules: rules)
    // A client that names no method may send its secret in both ways; the response names the first.
    hold(again?.metadata == client.metadata, "the response of a registration reads back")
    var members = (try? JSONValue(parsing: client.storedMembers()).objectValue) ?? [:]
    members["id"] = "app"
    let stored = try? OAuthClient.reading(members) { .invalidInput($0) }
    hold(stored?.storedMembers() == client.storedMembers(), "a row reads back")
}
