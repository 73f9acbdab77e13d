// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchRPC
import Testing

@testable import LatchIdentity

@Suite struct ClientFormTests {
    @Test func `The form of an error hides the details of an error that declares none`() {
        let error = IdentityError(code: "brandNew", message: "/var/lib/store is damaged", hint: "look at it")
        for format in [ErrorFormat.message, .detail, .oauth] {
            let response = Response(.failure(error, as: format))
            expectEqual(response.status, 503)
            #expect(!response.text.contains("brandNew") && !response.text.contains("/var/lib"))
        }
        expectEqual(Response(.failure(error)).string("code"), "unavailable")
        expectEqual(Response(.failure(error, as: .oauth)).oauthError, "temporarily_unavailable")
    }

    @Test func `The form of an error is the declared one on every surface`() {
        let form = ClientForm(
            status: .unauthorized, oauth: "invalid_grant", oauthStatus: .badRequest, rpc: .unauthenticated,
            errorCode: "LEGACY")
        let error = IdentityError(code: "brandNew", message: "No.", form: form)
        let detail = Response(.failure(error, as: .detail))
        #expect((detail.status, detail.string("code"), detail.errorCode) == (401, "brandNew", "LEGACY"))
        expectEqual(detail.field(.wwwAuthenticate), "Bearer")
        let oauth = Response(.failure(error, as: .oauth))
        #expect((oauth.status, oauth.oauthError) == (400, "invalid_grant"))
        expectNil(oauth.field(.wwwAuthenticate))
    }

    @Test func `The form of an error has an error code that follows from the code`() {
        expectEqual(Response(.failure(.insufficientScope, as: .detail)).errorCode, "INSUFFICIENT_SCOPE")
        expectEqual(Response(.failure(.invalidCredentials, as: .oauth)).errorCode, "INVALID_CREDENTIALS")
    }
}
