// SPDX-License-Identifier: Apache-2.0

/// The version of this package, as in the changelog.
package let packageVersion = "0.1.0"
