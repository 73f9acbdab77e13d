// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Testing

@Suite struct StepUpRequirementTests {
    private func requirement(_ field: String) -> StepUpRequirement? {
        Challenge.parse(field)?.lazy.compactMap(StepUpRequirement.init).first
    }

    /// RFC 9470 §3, figures 2 and 3.
    @Test func `A step-up requirement is read from the examples of RFC 9470`() {
        let classes = requirement(
            #"Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="myACR""#
        )
        expectEqual(classes, StepUpRequirement(contextClasses: ["myACR"]))
        let age = requirement(
            #"Bearer error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="5""#
        )
        expectEqual(age, StepUpRequirement(maximumAge: .seconds(5)))
    }

    @Test func `A step-up requirement can come in any scheme, beside other challenges`() {
        let field =
            #"Basic realm="x", DPoP algs="ES256", error="insufficient_user_authentication", acr_values="b a", max_age=0, scope="pay""#
        expectEqual(
            requirement(field),
            StepUpRequirement(contextClasses: ["b", "a"], maximumAge: .zero, scopes: Scopes(parsing: "pay")))
    }

    @Test(arguments: [
        #"Bearer error="invalid_token""#, #"Bearer acr_values="myACR""#, "Bearer",
        #"Bearer error="insufficient_scope""#,
        #"Bearer error="Insufficient_User_Authentication""#,
    ])
    func `A step-up requirement is absent if the challenge differs`(field: String) {
        expectNil(requirement(field))
    }

    /// Microsoft Entra's, in either alphabet and with any padding.
    @Test(arguments: ["eyJhIjp7InYiOiI/Pz8+In19", "eyJhIjp7InYiOiI_Pz8-In19", "eyJhIjp7InYiOiI/Pz8+In19Cg=="])
    func `A step-up requirement can be claims of the new tokens`(claims: String) throws {
        let asked = try #require(
            requirement(
                #"Bearer realm="", authorization_uri="https://x", error="insufficient_claims", claims="\#(claims)""#))
        expectEqual(asked.claims, ["a": ["v": "???>"]])
        let decoded = try JSONDecoder().decode(StepUpRequirement.self, from: JSONEncoder().encode(asked))
        #expect(decoded == asked && decoded != StepUpRequirement())
    }

    @Test(arguments: [#"claims="!""#, #"claims="W10=""#, #"claims="""#, "realm=x"])
    func `A step-up requirement needs the user even if its claims cannot be read`(parameter: String) {
        expectEqual(requirement("Bearer error=insufficient_claims, \(parameter)"), StepUpRequirement())
    }

    @Test func `A step-up requirement has the claims of a refused refresh`() {
        let text = #"{"access_token":{"capolids":{"essential":true,"values":["c"]}}}"#
        let object: JSONObject = ["access_token": ["capolids": ["essential": true, "values": ["c"]]]]
        for claims in [.string(text), .object(object)] as [JSONValue] {
            let asked = StepUpRequirement(errorCode: "invalid_grant", suberror: "basic_action", claims: claims)
            expectEqual(asked?.claims, object)
        }
        expectNil(StepUpRequirement(errorCode: "invalid_grant", claims: .string(text)))
        expectNil(StepUpRequirement(errorCode: "login_required", claims: "no object")?.claims)
    }

    @Test(arguments: ["-5", "5.5", "five", "", "99999999999999999999", "+5"])
    func `A step-up requirement has no age if that is not a number of seconds`(age: String) {
        let field = #"Bearer error="insufficient_user_authentication", max_age="\#(age)""#
        expectEqual(requirement(field), StepUpRequirement())
    }
}

@Suite struct StepUpTokenTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func token(_ claims: Claims) throws -> String { try JWT.sign(claims, with: Key.generate(.es256)) }

    @Test func `Tokens satisfy a step-up requirement if the access token says so`() throws {
        let tokens = Tokens(access: try token(["acr": "gold", "auth_time": 1_799_999_990]), scope: "pay read")
        let asked = StepUpRequirement(
            contextClasses: ["silver", "gold"], maximumAge: .seconds(10), scopes: Scopes(parsing: "pay"))
        expectEqual(tokens.satisfies(asked, at: now), true)
    }

    @Test(arguments: [
        StepUpRequirement(contextClasses: ["platinum"]), StepUpRequirement(maximumAge: .seconds(9)),
        StepUpRequirement(contextClasses: ["gold"], maximumAge: .zero),
        StepUpRequirement(contextClasses: ["gold"], scopes: Scopes(parsing: "admin")),
    ])
    func `Tokens do not satisfy a step-up requirement if a claim says the contrary`(asked: StepUpRequirement) throws {
        let tokens = Tokens(access: try token(["acr": "gold", "auth_time": 1_799_999_990]), scope: "pay")
        expectEqual(tokens.satisfies(asked, at: now), false)
    }

    @Test func `Tokens do not decide a step-up requirement if they are unreadable or lack the claim`() throws {
        let asked = StepUpRequirement(contextClasses: ["gold"])
        for access in ["opaque", "a.b.c", "", try token(["acr": 1]), try token([:])] {
            expectNil(Tokens(access: access).satisfies(asked, at: now))
        }
        expectNil(Tokens(access: try token(["acr": "gold"])).satisfies(StepUpRequirement(), at: now))
    }

    @Test func `Tokens are read from the ID token for a step-up if the access token is opaque`() throws {
        let tokens = Tokens(access: "opaque", idToken: try token(["acr": "gold"]))
        expectEqual(tokens.satisfies(StepUpRequirement(contextClasses: ["gold"]), at: now), true)
    }

    @Test func `Tokens belong to one user if subject and issuer are the same`() throws {
        let one = Tokens(access: try token(["iss": "a", "sub": "1"]))
        expectEqual(one.hasSameUser(as: Tokens(access: try token(["iss": "a", "sub": "1", "acr": "x"]))), true)
        expectEqual(one.hasSameUser(as: Tokens(access: try token(["iss": "a", "sub": "2"]))), false)
        expectEqual(one.hasSameUser(as: Tokens(access: try token(["iss": "b", "sub": "1"]))), false)
        expectNil(one.hasSameUser(as: Tokens(access: "opaque")))
    }
}
