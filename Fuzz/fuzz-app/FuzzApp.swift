// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchIdentity

/// Reads bytes as the Basic field of an app and as the word that registers one: what is accepted reads back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzApp(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: bytes(data, count), as: UTF8.self)
    if let credentials = ClientCredentials(basic: text) {
        hold(ClientCredentials.isBasic(text), "a field of another scheme says nothing of an app")
        hold(!credentials.id.isEmpty && !credentials.secrets.contains(""), "nothing empty proves anything")
    }
    guard let app = OAuthClient(word: text) else { return 0 }
    hold(app.id != OAuthClient.firstPartyID, "nobody takes the server's own place")
    hold(OAuthClient(word: app.word) == app, "a registration reads back")
    return 0
}
