// SPDX-License-Identifier: Apache-2.0

extension AuthorizationResponse {
    /// Returns the one-time code in a deep link from an app's own backend, which may omit the state.
    ///
    /// The code is bound to the app's code challenge (RFC 7636), so a code of another app is worthless here.
    ///
    /// - Returns: The code; nil if the deep link has neither a code nor an error.
    /// - Throws: `OAuthError.stateMismatch` if the deep link has another state, and the backend's error.
    package func code(ofBackendFor state: String) throws(OAuthError) -> String? {
        if let repeated = self.state, !repeated.utf8.elementsEqual(state.utf8) { throw .stateMismatch }
        if let error = parameters["error"], !error.isEmpty {
            throw OAuthError(authorizationError: error, message: parameters["error_description"])
        }
        return parameters["code"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
