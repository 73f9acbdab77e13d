// SPDX-License-Identifier: Apache-2.0

/// The error of a refresh if only the refresh token of the response is usable.
///
/// A refresh closure throws it, so that the session stores the refresh token before its callers get the error.
package struct IncompleteRefresh<Value: SessionCredential>: Error {
    /// A credential with the new refresh token; its access token is not used.
    package let grant: Value
    /// The error of the response, which callers get.
    package let error: any Error

    package init(grant: Value, error: any Error) { (self.grant, self.error) = (grant, error) }
}
