package main

// joinedLater are tests of parts that are joined after this one.
var joinedLater = []string{"TestAPasskeyOpensTheDoor", "TestLiveModeDoesNotServeADatabaseWithADemo", "TestAnAdminResetsTheFactorsOfAMember",
	"TestOfTwoUsesOfOneRecoveryCodeOneWins", "TestRecoveryCodesAreReplacedAndGivenAsTextOnlyWhileTheyWork", "TestSignInWithACodeOpensANewSessionAndACodeWorksOnce",
	"TestWrongCodesLockThatSortOfCodeOfThatPersonAlone", "TestOneAnswerOpensOneSession", "TestWhatMattersAsksAgainAfterFiveMinutes", "TestWhatAsksAgain",
	"TestABusinessThatDemandsAFactorLeadsToTheSetUpAndNowhereElse", "TestWhereASecondPersonIsWantedNobodyDeletesAlone"}
