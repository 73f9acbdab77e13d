// SPDX-License-Identifier: Apache-2.0

import Expectations
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
        expectEqual(response.access_token, "canary-a")
        expectEqual(response.refresh_token, "canary-r")
        expectEqual(response.token_type, "Bearer")
        expectEqual(response.expires_in, 3600)
        expectEqual(response.scope, "widgets:read widgets:write projects:read")
        expectEqual(response.user_id, "usr_123abc")
    }

    @Test(.tags(.loginResponses))
    func `The answer to a login fixes its expiry when it comes, and keeps it when it is stored`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        let date = try #require(response.expiryDate)
        expectEqual(response.expiryDate, date)
        let again = try JSONDecoder().decode(OAuthTokenResponse.self, from: JSONEncoder().encode(response))
        expectEqual(again.expiryDate, date)
        expectEqual(again, response)
        expectEqual(Tokens(again).expiry, date)
    }

    @Test(.tags(.loginResponses)) func `The answer to a login needs no more than an access token`() throws {
        let response = try JSONDecoder().decode(
            OAuthTokenResponse.self, from: Data(#"{"access_token":"a","expires_in":"60"}"#.utf8))
        expectNil(response.refresh_token)
        expectEqual(response.scope, "")
        expectNil(response.user_id)
        expectEqual(response.expires_in, 60)
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
        expectEqual(tokens.access, "canary-a")
        expectEqual(tokens.refresh, "canary-r")
        expectEqual(tokens.userID, "usr_123abc")
        expectEqual(tokens.grantedScopes?.count, 3)
    }

    @Test(.tags(.secretTransport)) func `The answer to a login shows no token`() throws {
        let response = try JSONDecoder().decode(OAuthTokenResponse.self, from: wire)
        var text = "\(response) \(String(reflecting: response))"
        dump(response, to: &text)
        #expect(!text.contains("canary"))
    }
}
