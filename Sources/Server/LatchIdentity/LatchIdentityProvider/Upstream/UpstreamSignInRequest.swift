// SPDX-License-Identifier: Apache-2.0

extension UpstreamSignInService {
    /// The parameters of an app's request to sign in.
    package struct Request: Sendable {
        package var redirect: String?
        package var codeChallenge: String?
        package var codeChallengeMethod: String?
        package var prompt: String?
        package var intent: String?
        package var state: String?

        package init(
            redirect: String? = nil, codeChallenge: String? = nil, codeChallengeMethod: String? = nil,
            prompt: String? = nil, intent: String? = nil, state: String? = nil
        ) {
            self.redirect = redirect
            self.codeChallenge = codeChallenge
            self.codeChallengeMethod = codeChallengeMethod
            self.prompt = prompt
            self.intent = intent
            self.state = state
        }
    }
}
