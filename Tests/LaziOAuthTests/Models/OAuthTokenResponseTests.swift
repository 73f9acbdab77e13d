// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LaziOAuth
import TestTags
import Testing

@Suite struct OAuthTokenResponseTests {
    private let wire = Data(
        """
        {"access_token":"canary-a","refresh_token":"canary-r","token_type":"Bearer","expires_in":3600,
        "scope":"widgets:read widgets:write projects:read","user_id":"usr_123abc"}
        """.utf8)

    @Test(.tags(.loginResponses)) func `The answer to a login is read in the spelling of the wire`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        #expect(response.access_token == "canary-a")
        #expect(response.refresh_token == "canary-r")
        #expect(response.token_type == "Bearer")
        #expect(response.expires_in == 3600)
        #expect(response.scope == "widgets:read widgets:write projects:read")
        #expect(response.user_id == "usr_123abc")
    }

    @Test(.tags(.loginResponses))
    func `The answer to a login fixes its expiry when it comes, and keeps it when it is stored`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        let date = try #require(response.expiryDate)
        #expect(response.expiryDate == date)
        let again = try JSONDecoder().decode(OAuthTokenResponse.self, from: JSONEncoder().encode(response))
        #expect(again.expiryDate == date)
        #expect(again == response)
        #expect(Tokens(again).expiry == date)
    }

    @Test(.tags(.loginResponses)) func `The answer to a login needs no more than an access token`() throws {
        let response = try JSONDecoder().decode(
            OAuthTokenResponse.self, from: Data(#"{"access_token":"a","expires_in":"60"}"#.utf8))
        #expect(response.refresh_token == nil)
        #expect(response.scope == "")
        #expect(response.user_id == nil)
        #expect(response.expires_in == 60)
    }

    @Test(
        .tags(.loginResponses),
        arguments: ["{}", "[]", #"{"access_token":""}"#, #"{"access_token":"a","token_type":"mac"}"#])
    func `The answer to a login is refused without a usable access token`(text: String) {
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(OAuthTokenResponse.self, from: Data(text.utf8))
        }
    }

    @Test func `The answer to a login becomes the core's tokens`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        let tokens = Tokens(response)
        #expect(tokens.access == "canary-a")
        #expect(tokens.refresh == "canary-r")
        #expect(tokens.userID == "usr_123abc")
        #expect(tokens.grantedScopes?.count == 3)
    }

    @Test(.tags(.secretTransport)) func `The answer to a login shows no token`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        var text = "\(response) \(String(reflecting: response))"
        dump(response, to: &text)
        #expect(!text.contains("canary"))
    }
}
