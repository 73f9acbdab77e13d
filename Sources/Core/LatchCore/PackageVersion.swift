// SPDX-License-Identifier: Apache-2.0

/// The version of this package, as the changelog counts it.
package let packageVersion = "0.1.0"
